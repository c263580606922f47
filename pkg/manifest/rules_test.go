// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// Rules by node find what the validator of the whole schema finds, also where a valid object is
// known of which the object is a variant. Rules whose types are not checked hold for the same
// objects, and cost no less.
func TestRulesByNodeFindWhatAllRulesFind(t *testing.T) {
	for _, kind := range []string{"SimulationRun", "PolicySweep"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			compareRules(t, kind)
		})
	}
}

func compareRules(t *testing.T, kind string) {
	names, err := filepath.Glob("../../config/samples/" + strings.ToLower(kind) + "-*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("samples: %v, %v", names, err)
	}
	d := load(kind)
	all := cel.NewValidator(d.structural, true, celconfig.PerCallLimit)
	textsOf := func(errs field.ErrorList) []string {
		var texts []string
		for _, e := range errs {
			texts = append(texts, e.Error())
		}
		slices.Sort(texts)
		return texts
	}
	found, hold := 0, 0
	r := rand.New(rand.NewPCG(1, 2))
	for _, object := range samplesOf(t, kind, names) {
		for range 6 {
			changed := runtime.DeepCopyJSON(object)
			for range r.IntN(10) {
				changeAField(r, changed)
			}
			errs, left := all.Validate(context.Background(), nil, d.structural, changed, nil, celconfig.RuntimeCELCostBudget)
			want := textsOf(errs)
			for name, valid := range map[string]any{"alone": nil, "after a valid object": object} {
				budget := int64(celconfig.RuntimeCELCostBudget)
				if diff := cmp.Diff(want, textsOf(d.rules.check(nil, changed, valid, &budget))); diff != "" {
					t.Fatalf("%s: faults (-all rules +rules by node):\n%s", name, diff)
				}
			}
			found += len(want)
			budget := int64(celconfig.RuntimeCELCostBudget)
			if got := d.rules.hold(changed, nil, &budget); got != (len(want) == 0) {
				t.Fatalf("the rules hold is %v, with the faults %q", got, want)
			}
			if len(want) > 0 {
				continue
			}
			hold++
			if budget > left {
				t.Fatalf("rules without types leave %d of the budget, with types %d", budget, left)
			}
		}
	}
	if found < 10 || hold < 10 {
		t.Errorf("%d faults and %d valid objects show little", found, hold)
	}
}

func TestRulesMayBeCompiledConcurrently(t *testing.T) {
	names, err := filepath.Glob("../../config/samples/simulationrun-*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d := load("SimulationRun")
	var all sync.WaitGroup
	for _, object := range samplesOf(t, "SimulationRun", names) {
		all.Go(func() {
			if errs := d.validate(object); len(errs) > 0 {
				t.Error(errs.ToAggregate())
			}
		})
	}
	all.Wait()
}

// samplesOf are the objects of a kind in files.
func samplesOf(t *testing.T, kind string, names []string) []map[string]any {
	t.Helper()
	var objects []map[string]any
	for _, name := range names {
		text := testfile.Read(t, name)
		set, err := Read(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		var all []runtime.Object
		for _, run := range set.Runs {
			all = append(all, run)
		}
		for _, sweep := range set.Sweeps {
			all = append(all, sweep)
		}
		for _, one := range all {
			Default(one)
			d, object := untyped(one)
			delete(object, "status")
			if d.kind == kind {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// texts are some that fit the rules of one field or another, and some that fit none.
var texts = []string{"", "0", "1", "-1", "0.5", "5", "0s", "5s", "-1s", "1h", "x", "None", "a b", "é", "p", "llama", "Poisson"}

// changeAField removes a random field of a random map of an object, or changes its value.
func changeAField(r *rand.Rand, value any) {
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
				changeAField(r, value[name])
				return
			}
		case string:
			if r.IntN(2) > 0 {
				value[name] = texts[r.IntN(len(texts))]
				return
			}
		case int64:
			if r.IntN(2) > 0 {
				value[name] = r.Int64N(40) - 2
				return
			}
		}
		delete(value, name)
	case []any:
		if len(value) > 0 {
			changeAField(r, value[r.IntN(len(value))])
		}
	}
}
