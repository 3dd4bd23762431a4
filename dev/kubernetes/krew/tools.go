//go:build tools

// The programs that dev/setup builds from this module, so that go.mod and go.sum keep what they need.
package tools

import (
	_ "sigs.k8s.io/krew/cmd/krew"
	_ "sigs.k8s.io/krew/cmd/validate-krew-manifest"
)
