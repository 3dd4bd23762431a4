package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	fieldManager  = "bench-operator"
	statusManager = "bench-operator-status"
	finalizer     = "db.example.com/cleanup"
	roleLabel     = "db.example.com/role"
	lagStep       = 1 << 20
)

type reconciler struct {
	client.Client
	live     client.Reader // past the cache: Secrets are not watched
	recorder events.EventRecorder
	objects  []template
	secrets  []template

	mutex sync.Mutex
	seen  map[types.NamespacedName]bool // Secrets that are there
}

// view is what Patroni and the pods tell of a cluster.
type view struct {
	leader, systemIdentifier string
	position                 int64
	members                  []member
}

type member struct {
	Instance
	position int64
	healthy  bool
}

// Reconcile makes what is missing, mends what carries another intent, and tells how things stand.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var cluster PostgresCluster
	if err := r.Get(ctx, request.NamespacedName, &cluster); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !cluster.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.setFinalizer(ctx, &cluster, false)
	}
	if err := r.setFinalizer(ctx, &cluster, true); err != nil {
		return ctrl.Result{}, err
	}
	seen, err := r.observe(ctx, &cluster)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.makeSecrets(ctx, &cluster); err != nil {
		return ctrl.Result{}, err
	}
	for i := range r.objects {
		if err := r.apply(ctx, &cluster, &r.objects[i], seen.record(&cluster)); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.tell(ctx, &cluster, seen)
}

func (r *reconciler) setFinalizer(ctx context.Context, cluster *PostgresCluster, wanted bool) error {
	if controllerutil.ContainsFinalizer(cluster, finalizer) == wanted {
		return nil
	}
	changed := cluster.DeepCopy()
	if wanted {
		controllerutil.AddFinalizer(changed, finalizer)
	} else {
		controllerutil.RemoveFinalizer(changed, finalizer)
	}
	return client.IgnoreNotFound(r.Patch(ctx, changed, client.MergeFrom(cluster)))
}

func (r *reconciler) observe(ctx context.Context, cluster *PostgresCluster) (*view, error) {
	var seen view
	var lock, config corev1.ConfigMap
	key := func(suffix string) types.NamespacedName {
		return types.NamespacedName{Namespace: cluster.Namespace, Name: cluster.Name + suffix}
	}
	if err := r.Get(ctx, key("-ha-leader"), &lock); client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	if err := r.Get(ctx, key("-ha-config"), &config); client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	seen.leader = lock.Annotations["leader"]
	seen.position, _ = strconv.ParseInt(lock.Annotations["optime"], 10, 64)
	seen.systemIdentifier = config.Annotations["initialize"]
	for number := int32(1); number <= cluster.Spec.Replicas; number++ {
		var pod corev1.Pod
		err := r.Get(ctx, key(fmt.Sprintf("-%d-0", number)), &pod)
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		seen.members = append(seen.members, memberOf(&pod, fmt.Sprintf("%s-%d", cluster.Name, number)))
	}
	return &seen, nil
}

// What Patroni writes into its pod.
type published struct {
	State            string `json:"state"`
	ReplicationState string `json:"replication_state"`
	Timeline         int64  `json:"timeline"`
	Position         int64  `json:"xlog_location"`
}

func stateOf(pod *corev1.Pod) (string, published) {
	var p published
	_ = json.Unmarshal([]byte(pod.Annotations["status"]), &p)
	if p.State == "running" && p.ReplicationState != "" {
		return p.ReplicationState, p
	}
	return p.State, p
}

func isReady(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodReady {
			return pod.Status.Conditions[i].Status == corev1.ConditionTrue
		}
	}
	return false
}

func memberOf(pod *corev1.Pod, instance string) member {
	state, p := stateOf(pod)
	m := member{Instance: Instance{Name: instance, Pod: pod.Name, Ready: isReady(pod), Role: pod.Labels[roleLabel],
		State: state, Timeline: p.Timeline}, position: p.Position}
	serves := m.State == "streaming" || (m.Role == "primary" && m.State == "running")
	m.healthy = m.Ready && serves && pod.DeletionTimestamp.IsZero()
	return m
}

func (v *view) primary() *member {
	for i := range v.members {
		if v.members[i].Pod == v.leader && v.members[i].Role == "primary" {
			return &v.members[i]
		}
	}
	return nil
}

// Who led last, for the volumes.
func (v *view) record(cluster *PostgresCluster) string {
	p := v.primary()
	if p == nil {
		return ""
	}
	text, _ := json.Marshal(map[string]any{"instance": p.Name, "timeline": p.Timeline,
		"systemIdentifier": v.systemIdentifier, "version": cluster.Spec.Version})
	return string(text)
}

func (r *reconciler) makeSecrets(ctx context.Context, cluster *PostgresCluster) error {
	for i := range r.secrets {
		t := &r.secrets[i]
		key := types.NamespacedName{Namespace: cluster.Namespace, Name: t.nameFor(cluster)}
		if r.known(key, false) {
			continue
		}
		var existing metav1.PartialObjectMetadata
		existing.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := r.live.Get(ctx, key, &existing)
		if apierrors.IsNotFound(err) {
			err = r.makeSecret(ctx, cluster, t)
		}
		if err != nil {
			return err
		}
		r.known(key, true)
	}
	return nil
}

func (r *reconciler) known(key types.NamespacedName, add bool) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if add {
		r.seen[key] = true
	}
	return r.seen[key]
}

func (r *reconciler) makeSecret(ctx context.Context, cluster *PostgresCluster, t *template) error {
	text, _ := t.render(cluster, "")
	var secret corev1.Secret
	if err := json.Unmarshal([]byte(text), &secret); err != nil {
		return err
	}
	var password [24]byte
	if _, err := rand.Read(password[:]); err != nil {
		return err
	}
	secret.StringData["password"] = base64.RawURLEncoding.EncodeToString(password[:])
	log.FromContext(ctx).Info("wrote", "action", "generate password "+secret.Name)
	err := r.Create(ctx, &secret, client.FieldOwner(fieldManager))
	return client.IgnoreAlreadyExists(err)
}

// apply writes an object that is not there or carries the hash of another intent.
func (r *reconciler) apply(ctx context.Context, cluster *PostgresCluster, t *template, record string) error {
	text, intent := t.render(cluster, record)
	live := t.empty()
	key := types.NamespacedName{Namespace: cluster.Namespace, Name: t.nameFor(cluster)}
	if err := r.Get(ctx, key, live); client.IgnoreNotFound(err) != nil {
		return err
	}
	if live.GetAnnotations()[intentAnnotation] == intent {
		return nil
	}
	var answer metav1.PartialObjectMetadata
	answer.APIVersion, answer.Kind = t.version, t.kind
	answer.Namespace, answer.Name = key.Namespace, key.Name
	patch := client.RawPatch(types.ApplyPatchType, []byte(text))
	if err := r.Patch(ctx, &answer, patch, client.FieldOwner(fieldManager), client.ForceOwnership); err != nil {
		return err
	}
	log.FromContext(ctx).Info("wrote", "action", "apply "+t.kind+" "+key.String())
	return nil
}

func (r *reconciler) tell(ctx context.Context, cluster *PostgresCluster, seen *view) error {
	status := statusOf(cluster, seen)
	if apiequality.Semantic.DeepEqual(cluster.Status, status) {
		return nil
	}
	text, err := json.Marshal(map[string]any{"apiVersion": groupVersion.String(), "kind": "PostgresCluster",
		"metadata": map[string]string{"name": cluster.Name, "namespace": cluster.Namespace}, "status": status})
	if err != nil {
		return err
	}
	var answer PostgresCluster
	answer.Namespace, answer.Name = cluster.Namespace, cluster.Name
	patch := client.RawPatch(types.ApplyPatchType, text)
	if err := r.Status().Patch(ctx, &answer, patch, client.FieldOwner(statusManager), client.ForceOwnership); err != nil {
		return err
	}
	r.announce(cluster, &status)
	return nil
}

func (r *reconciler) announce(cluster *PostgresCluster, status *Status) {
	say := func(reason, action, note string) {
		r.recorder.Eventf(cluster, nil, corev1.EventTypeNormal, reason, action, "%s", note)
	}
	if cluster.Status.Phase == "" {
		for number := int32(1); number <= cluster.Spec.Replicas; number++ {
			say("Creating", "Create", fmt.Sprintf("Adding instance %s-%d", cluster.Name, number))
		}
	}
	if status.CurrentPrimary != "" && status.CurrentPrimary != cluster.Status.CurrentPrimary {
		say("PrimaryChanged", "Observe", status.CurrentPrimary+" is the primary now")
	}
	if status.Phase != cluster.Status.Phase {
		say(status.Phase, "Observe", meta.FindStatusCondition(status.Conditions, "Ready").Message)
	}
}

func statusOf(cluster *PostgresCluster, seen *view) Status {
	status := Status{ObservedGeneration: cluster.Generation, Phase: "Creating", Replicas: cluster.Spec.Replicas,
		Selector: "db.example.com/cluster=" + cluster.Name + ",db.example.com/patroni=" + cluster.Name + "-ha",
		Version:  cluster.Spec.Version, Image: image, TLSMode: "Prefer", CurrentPrimary: seen.leader,
		SystemIdentifier: seen.systemIdentifier, Instances: []Instance{}}
	for _, m := range seen.members {
		if m.healthy {
			status.ReadyReplicas++
		}
		if m.Role == "replica" && m.position > 0 && seen.position > 0 {
			lag := max(0, seen.position-m.position) / lagStep * lagStep
			m.LagBytes = &lag
		}
		status.Instances = append(status.Instances, m.Instance)
	}
	primary := seen.primary()
	if primary != nil {
		status.Timeline = primary.Timeline
	}
	ready := primary != nil && primary.Ready && status.ReadyReplicas == status.Replicas
	if ready {
		status.Phase = "Ready"
	}
	status.Conditions = conditionsOf(cluster, &status, primary != nil, ready)
	return status
}

func conditionsOf(cluster *PostgresCluster, status *Status, led, ready bool) []metav1.Condition {
	conditions := append([]metav1.Condition(nil), cluster.Status.Conditions...)
	counted := fmt.Sprintf("%d of %d instances are ready", status.ReadyReplicas, status.Replicas)
	set := func(kind string, holds bool, yes, no, message string) {
		condition := metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: no, Message: message,
			ObservedGeneration: cluster.Generation}
		if holds {
			condition.Status, condition.Reason = metav1.ConditionTrue, yes
		}
		meta.SetStatusCondition(&conditions, condition)
	}
	set("Ready", ready, "Ready", status.Phase, counted)
	set("PrimaryAvailable", led, "PrimaryRuns", "NoPrimary", status.CurrentPrimary+" takes writes")
	set("ReplicasReady", ready, "AllStream", "NotAllStream", counted)
	set("Progressing", !ready, status.Phase, "Converged", counted)
	set("Degraded", false, "", "AsExpected", "")
	return conditions
}
