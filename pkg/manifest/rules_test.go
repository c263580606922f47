// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Rules by node find what the validator of the whole schema finds, also where a valid object is
// known of which the object is a variant.
func TestRulesByNodeFindWhatAllRulesFind(t *testing.T) {
	names, err := filepath.Glob("../../config/samples/simulationrun-*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("samples: %v, %v", names, err)
	}
	d := load("SimulationRun")
	all := cel.NewValidator(d.structural, true, celconfig.PerCallLimit)
	texts := func(errs field.ErrorList) []string {
		var texts []string
		for _, e := range errs {
			texts = append(texts, e.Error())
		}
		slices.Sort(texts)
		return texts
	}
	found := 0
	r := rand.New(rand.NewPCG(1, 2))
	for _, object := range sampleRuns(t, names) {
		for range 12 {
			changed := runtime.DeepCopyJSON(object)
			for range r.IntN(10) {
				removeAField(r, changed)
			}
			errs, _ := all.Validate(context.Background(), nil, d.structural, changed, nil, celconfig.RuntimeCELCostBudget)
			want := texts(errs)
			for name, valid := range map[string]any{"alone": nil, "after a valid object": object} {
				budget := int64(celconfig.RuntimeCELCostBudget)
				if diff := cmp.Diff(want, texts(d.rules.check(nil, changed, valid, &budget))); diff != "" {
					t.Fatalf("%s: faults (-all rules +rules by node):\n%s", name, diff)
				}
			}
			found += len(want)
		}
	}
	if found < 10 {
		t.Errorf("%d faults show little", found)
	}
}

func TestRulesMayBeCompiledConcurrently(t *testing.T) {
	names, err := filepath.Glob("../../config/samples/simulationrun-*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d := load("SimulationRun")
	var all sync.WaitGroup
	for _, object := range sampleRuns(t, names) {
		all.Go(func() {
			if errs := d.validate(object); len(errs) > 0 {
				t.Error(errs.ToAggregate())
			}
		})
	}
	all.Wait()
}

// sampleRuns are the SimulationRuns of files.
func sampleRuns(t *testing.T, names []string) []map[string]any {
	t.Helper()
	var objects []map[string]any
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		set, err := Read(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range set.Runs {
			Default(run)
			_, object := untyped(run)
			delete(object, "status")
			objects = append(objects, object)
		}
	}
	return objects
}

// removeAField removes a random field of a random map of an object.
func removeAField(r *rand.Rand, value any) {
	switch value := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(value))
		if len(names) == 0 {
			return
		}
		name := names[r.IntN(len(names))]
		switch value[name].(type) {
		case map[string]any, []any:
			if r.IntN(8) > 0 {
				removeAField(r, value[name])
				return
			}
		}
		delete(value, name)
	case []any:
		if len(value) > 0 {
			removeAField(r, value[r.IntN(len(value))])
		}
	}
}
