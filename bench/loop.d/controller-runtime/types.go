package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "db.example.com", Version: "v1"}

// PostgresCluster has the part of the resource that this operator looks at.
type PostgresCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

// Spec is what is wanted.
type Spec struct {
	Replicas int32  `json:"replicas,omitempty"`
	Version  string `json:"version,omitempty"`
}

// Status is what stands.
type Status struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Replicas           int32              `json:"replicas"`
	ReadyReplicas      int32              `json:"readyReplicas"`
	Selector           string             `json:"selector,omitempty"`
	Version            string             `json:"version,omitempty"`
	Image              string             `json:"image,omitempty"`
	TLSMode            string             `json:"tlsMode,omitempty"`
	CurrentPrimary     string             `json:"currentPrimary,omitempty"`
	Timeline           int64              `json:"timeline,omitempty"`
	SystemIdentifier   string             `json:"systemIdentifier,omitempty"`
	Instances          []Instance         `json:"instances"`
	Conditions         []metav1.Condition `json:"conditions"`
}

// Instance is a member as its pod and Patroni tell of it.
type Instance struct {
	Name     string `json:"name"`
	Pod      string `json:"pod"`
	Ready    bool   `json:"ready"`
	Role     string `json:"role,omitempty"`
	State    string `json:"state,omitempty"`
	Timeline int64  `json:"timeline,omitempty"`
	LagBytes *int64 `json:"lagBytes,omitempty"`
}

// PostgresClusterList is what a list answers.
type PostgresClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PostgresCluster `json:"items"`
}

// DeepCopy copies all of it.
func (c *PostgresCluster) DeepCopy() *PostgresCluster {
	out := &PostgresCluster{TypeMeta: c.TypeMeta, Spec: c.Spec, Status: c.Status}
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Instances = append([]Instance(nil), c.Status.Instances...)
	out.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	return out
}

// DeepCopyObject implements runtime.Object.
func (c *PostgresCluster) DeepCopyObject() runtime.Object { return c.DeepCopy() }

// DeepCopyObject implements runtime.Object.
func (l *PostgresClusterList) DeepCopyObject() runtime.Object {
	out := &PostgresClusterList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopy())
	}
	return out
}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &PostgresCluster{}, &PostgresClusterList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}
