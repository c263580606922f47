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
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Rules of the fields that objects set find what the rules of the whole schema find, whichever
// objects came before.
func TestRulesOfTheUsedFieldsFindWhatAllRulesFind(t *testing.T) {
	names, err := filepath.Glob("../../config/samples/simulationrun-*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("samples: %v, %v", names, err)
	}
	d := load("SimulationRun")
	all := cel.NewValidator(d.structural, true, celconfig.PerCallLimit)
	faults := func(v *cel.Validator, object any) []string {
		errs, _ := v.Validate(context.Background(), nil, d.structural, object, nil, celconfig.RuntimeCELCostBudget)
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
			want := faults(all, changed)
			if diff := cmp.Diff(want, faults(d.rules.of(changed), changed)); diff != "" {
				t.Fatalf("faults (-all rules +rules of used fields):\n%s", diff)
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
