// SPDX-License-Identifier: Apache-2.0

package version

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The tag of an image and the number of a release are no versions of their own, but they tell which
// one is meant.
func TestAnUnknownVersionHintsAtTheOneThatIsMeant(t *testing.T) {
	for written, want := range map[string]string{
		"v0.10": "router-v0.10.0", "v0.10.0": "router-v0.10.0", "0.9": "router-v0.9.0", "main": "router-main", "router-v0.01.0": "router-v0.10.0",
		"ghcr.io/llm-d/llm-d-inference-scheduler:v0.10.0":            "router-v0.10.0",
		"ghcr.io/llm-d/llm-d-router:v0.10.3":                         "router-v0.10.0",
		"localhost:5000/epp:v0.8.0@sha256:abc":                       "scheduler-v0.8.0",
		"registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0": "gie-v1.5.0",
		"v0.5.1": "scheduler-v0.5.1 or gie-v0.5.1",
		"latest": "",
		"ghcr.io/llm-d/llm-d-router@sha256:0123456789abcdef0123456789a": "",
	} {
		_, err := Parse(written, field.NewPath("version"))
		if err == nil {
			t.Errorf("%s is a version", written)
			continue
		}
		_, hint, _ := strings.Cut(err.Detail, "; did you mean ")
		if hint = strings.TrimSuffix(hint, "?"); hint != want {
			t.Errorf("%s hints at %q, want %q", written, hint, want)
		}
	}
}
