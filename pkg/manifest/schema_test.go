// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
)

// An API server prunes what the schema does not know from its defaults. In ours that is nothing.
func TestDefaultsNeedNoPruning(t *testing.T) {
	for kind := range definitions {
		s := load(kind).structural
		pruned := s.DeepCopy()
		if err := defaulting.PruneDefaults(pruned); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(pruned, s); diff != "" {
			t.Errorf("%s (-pruned +ours):\n%s", kind, diff)
		}
	}
}
