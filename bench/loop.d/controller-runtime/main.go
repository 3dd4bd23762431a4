// An operator on controller-runtime that watches the kinds that pgc-operator watches and writes the objects that it writes,
// for bench/loop and nothing else.
//
// It is made as lean as a good programmer would make it, so that the comparison is not won by a straw man: selectors on all
// caches, no managed fields in them, no copies of what is read, typed objects (protobuf on the wire), heartbeats filtered by
// the few fields that count, no metrics server, no client-side rate limit. What it leaves out is told in bench/README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	image          = "registry.example.com/pgc/postgres:v0.1.0"
	clusterLabel   = "db.example.com/cluster"
	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "pgc"
)

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, policyv1.AddToScheme,
		rbacv1.AddToScheme, eventsv1.AddToScheme, addToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// What belongs to a cluster, and which of its updates count.
func children() map[client.Object]predicate.Predicate {
	changed := predicate.ResourceVersionChangedPredicate{}
	described := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{})
	return map[client.Object]predicate.Predicate{
		&appsv1.StatefulSet{}:           described,
		&corev1.Pod{}:                   updates(podCounts),
		&corev1.PersistentVolumeClaim{}: described,
		&corev1.ConfigMap{}:             updates(configMapCounts),
		&corev1.Service{}:               changed,
		&corev1.ServiceAccount{}:        changed,
		&rbacv1.Role{}:                  changed,
		&rbacv1.RoleBinding{}:           changed,
		&policyv1.PodDisruptionBudget{}: described,
	}
}

func updates(counts func(before, after client.Object) bool) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return counts(e.ObjectOld, e.ObjectNew) }}
}

// A member publishes its position every few seconds; nobody waits for it.
func podCounts(before, after client.Object) bool {
	old, fresh := before.(*corev1.Pod), after.(*corev1.Pod)
	oldState, o := stateOf(old)
	freshState, f := stateOf(fresh)
	return old.Labels[roleLabel] != fresh.Labels[roleLabel] || oldState != freshState || o.Timeline != f.Timeline ||
		isReady(old) != isReady(fresh) || old.DeletionTimestamp.IsZero() != fresh.DeletionTimestamp.IsZero()
}

// Of Patroni's objects the leader counts and the configuration; of ours the text.
func configMapCounts(before, after client.Object) bool {
	old, fresh := before.(*corev1.ConfigMap), after.(*corev1.ConfigMap)
	for _, key := range []string{"leader", "initialize", "config", intentAnnotation} {
		if old.Annotations[key] != fresh.Annotations[key] {
			return true
		}
	}
	return len(fresh.Data) > 0
}

func clusterOf(_ context.Context, o client.Object) []reconcile.Request {
	name := o.GetLabels()[clusterLabel]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}}}
}

func options(scheme *runtime.Scheme) ctrl.Options {
	lease, renew, retry := 15*time.Second, 10*time.Second, 2*time.Second
	uncopied := true
	caches := cache.Options{DefaultTransform: cache.TransformStripManagedFields(), DefaultUnsafeDisableDeepCopy: &uncopied,
		ByObject: map[client.Object]cache.ByObject{}}
	ours := labels.SelectorFromSet(labels.Set{managedByLabel: managedBy})
	for child := range children() {
		caches.ByObject[child] = cache.ByObject{Label: ours}
	}
	return ctrl.Options{
		Scheme: scheme, Cache: caches, Metrics: server.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "bench-operator", LeaderElectionNamespace: "pgc-system",
		LeaseDuration: &lease, RenewDeadline: &renew, RetryPeriod: &retry, LeaderElectionReleaseOnCancel: true,
	}
}

func run(templates string, workers int) error {
	objects, secrets, err := readTemplates(templates)
	if err != nil {
		return err
	}
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	manager, err := ctrl.NewManager(config, options(scheme))
	if err != nil {
		return err
	}
	loop := ctrl.NewControllerManagedBy(manager).
		For(&PostgresCluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers})
	for child, counts := range children() {
		loop = loop.Watches(child, handler.EnqueueRequestsFromMapFunc(clusterOf), builder.WithPredicates(counts))
	}
	err = loop.Complete(&reconciler{Client: manager.GetClient(), live: manager.GetAPIReader(),
		recorder: manager.GetEventRecorder("bench-operator"), objects: objects, secrets: secrets,
		seen: map[types.NamespacedName]bool{}})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	templates := flag.String("templates", "", "file with what to write for one cluster")
	workers := flag.Int("workers", 1, "clusters that are worked on at the same time")
	flag.Parse() // --kubeconfig is controller-runtime's
	ctrl.SetLogger(zap.New())
	if err := run(*templates, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
