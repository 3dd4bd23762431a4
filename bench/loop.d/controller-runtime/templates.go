package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	intentAnnotation = "db.example.com/intent"
	recordAnnotation = "db.example.com/last-primary"
)

// A template is an object to apply, as the JSON of the patch in which the words that stand for the cluster are replaced.
// Texts are made once and not per turn, as cheaply as Go can.
type template struct {
	kind, name string
	version    string
	patch      string
	secret     corev1.Secret // of kind Secret only
}

type head struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
}

// readTemplates reads what pgc-bench-objects prints.
func readTemplates(path string) (objects, secrets []template, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var file struct{ Apply, Secrets []json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, raw := range file.Apply {
		t, err := templateOf(raw)
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, t)
	}
	for _, raw := range file.Secrets {
		t, err := templateOf(raw)
		if err == nil {
			err = json.Unmarshal(raw, &t.secret)
		}
		if err != nil {
			return nil, nil, err
		}
		secrets = append(secrets, t)
	}
	return objects, secrets, nil
}

// The hash of the intent is made anew per cluster; on volumes stands who led last.
func templateOf(raw json.RawMessage) (template, error) {
	var h head
	var document map[string]any
	if err := json.Unmarshal(raw, &h); err != nil {
		return template{}, err
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return template{}, err
	}
	annotations := map[string]any{}
	for key, value := range h.Metadata.Annotations {
		annotations[key] = value
	}
	annotations[intentAnnotation] = "cluster-intent"
	if h.Kind == "PersistentVolumeClaim" {
		annotations[recordAnnotation] = "cluster-record"
	}
	document["metadata"].(map[string]any)["annotations"] = annotations
	patch, err := json.Marshal(document)
	return template{kind: h.Kind, name: h.Metadata.Name, version: h.APIVersion, patch: string(patch)}, err
}

// render fills in a cluster. The second value is the hash that the object carries.
func (t *template) render(c *PostgresCluster, record string) (string, string) {
	quoted, _ := json.Marshal(record)
	text := strings.NewReplacer("cluster-namespace", c.Namespace, "cluster-name", c.Name, "cluster-uid", string(c.UID),
		`"cluster-record"`, string(quoted)).Replace(t.patch)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))
	intent := fmt.Sprintf("%016x", hash.Sum64())
	return strings.Replace(text, "cluster-intent", intent, 1), intent
}

func (t *template) nameFor(c *PostgresCluster) string {
	return strings.Replace(t.name, "cluster-name", c.Name, 1)
}

// empty is a Go value to read the live object into.
func (t *template) empty() client.Object {
	switch t.kind {
	case "ServiceAccount":
		return &corev1.ServiceAccount{}
	case "Role":
		return &rbacv1.Role{}
	case "RoleBinding":
		return &rbacv1.RoleBinding{}
	case "Service":
		return &corev1.Service{}
	case "ConfigMap":
		return &corev1.ConfigMap{}
	case "PersistentVolumeClaim":
		return &corev1.PersistentVolumeClaim{}
	case "StatefulSet":
		return &appsv1.StatefulSet{}
	case "PodDisruptionBudget":
		return &policyv1.PodDisruptionBudget{}
	}
	panic("no Go type for " + t.kind)
}
