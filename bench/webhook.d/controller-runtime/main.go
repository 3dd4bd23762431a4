// A webhook on controller-runtime that does the same job as pgc-webhook as far as any CRD defines it: defaults by the
// schema, validation by the schema, no CEL. For bench/webhook and nothing else.
//
// It is meant to be as lean as the library allows, so that the comparison is not won by a straw man: no manager, no
// caches, no log line per request, and objects without a Go type, which spares the conversions that the API server's
// schema code would need.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"os"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"
)

type object = *unstructured.Unstructured

// schema is what the CRD says about its first version, in the two forms that the API server uses.
type schema struct {
	path       string // of its webhooks, as kubebuilder's tools name it
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

func readSchema(path string) (*schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(crd.Spec.Versions) == 0 || crd.Spec.Versions[0].Schema == nil {
		return nil, fmt.Errorf("%s: no version with a schema", path)
	}
	compiled, err := compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err == nil {
		kind := crd.Spec.Group + "-" + crd.Spec.Versions[0].Name + "-" + crd.Spec.Names.Kind
		compiled.path = strings.ToLower(strings.ReplaceAll(kind, ".", "-"))
	}
	return compiled, err
}

func compile(published *apiextensionsv1.JSONSchemaProps) (*schema, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(published, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, err
	}
	return &schema{structural: structural, validator: validator}, nil
}

// Default implements admission.Defaulter.
func (s *schema) Default(_ context.Context, o object) error {
	defaulting.PruneNonNullableNullsWithoutDefaults(o.Object, s.structural)
	defaulting.Default(o.Object, s.structural)
	return nil
}

func (s *schema) judge(o object, errs field.ErrorList) (admission.Warnings, error) {
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, o.Object)...)
	if len(errs) == 0 {
		return nil, nil
	}
	return nil, apierrors.NewInvalid(o.GroupVersionKind().GroupKind(), o.GetName(), errs)
}

// ValidateCreate implements admission.Validator.
func (s *schema) ValidateCreate(_ context.Context, o object) (admission.Warnings, error) {
	return s.judge(o, validation.ValidateCustomResource(nil, o.Object, s.validator))
}

// ValidateUpdate implements admission.Validator.
func (s *schema) ValidateUpdate(_ context.Context, old, o object) (admission.Warnings, error) {
	return s.judge(o, validation.ValidateCustomResourceUpdate(nil, o.Object, old.Object, s.validator))
}

// ValidateDelete implements admission.Validator.
func (s *schema) ValidateDelete(context.Context, object) (admission.Warnings, error) { return nil, nil }

func run() error {
	crd := flag.String("crd", "", "file with the CustomResourceDefinition")
	certs := flag.String("cert-dir", "", "folder with tls.crt and tls.key")
	port := flag.Int("port", 9443, "port of the admission endpoints")
	flag.Parse()

	s, err := readSchema(*crd)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	server := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1", Port: *port, CertDir: *certs,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }},
	})
	server.Register("/mutate-"+s.path, admission.WithDefaulter[object](scheme, s))
	server.Register("/validate-"+s.path, admission.WithValidator[object](scheme, s))
	return server.Start(ctrl.SetupSignalHandler())
}

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
