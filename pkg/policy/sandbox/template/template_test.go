// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
)

// layouts are those of all components. That of the routing has the signals of a template.
func layout(t *Template) *sandbox.Layout {
	switch t.Component {
	case sandbox.Admission:
		return sandbox.AdmissionLayout(sandbox.Names{})
	case sandbox.Priority:
		return sandbox.PriorityLayout(sandbox.Names{})
	case sandbox.Scheduler:
		return sandbox.SchedulerLayout(sandbox.Names{})
	case sandbox.Autoscale:
		return sandbox.AutoscaleLayout()
	}
	var columns []sandbox.Field
	for _, signal := range t.Signals {
		name := strings.ReplaceAll(signal, "-", "_")
		columns = append(columns, sandbox.Field{Name: name}, sandbox.Field{Name: name + "_tokens", Kind: sandbox.Integer})
	}
	return sandbox.RoutingLayout(sandbox.Names{}).With(columns...)
}

// run makes one decision by a template.
func run(t *testing.T, of *Template, numbers map[string]float64, f *sandbox.Frame) []float64 {
	t.Helper()
	l := layout(of)
	code, errs := tree.Load(of.Tree(numbers), l, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, _ := code.New(nil)
	answer := make([]float64, 1)
	if l.Answer.Many() {
		answer = make([]float64, f.Rows)
	}
	if fault := p.Run(f, answer); fault != nil {
		t.Fatalf("%v of %v", fault, numbers)
	}
	return answer
}

// randomFrame has numbers of every size that fields have.
func randomFrame(l *sandbox.Layout, r *rand.Rand) *sandbox.Frame {
	f := sandbox.NewFrame(l, 4)
	value := func(of *sandbox.Field) float64 {
		most := []float64{0, 1, 100, 10000, 200000}[r.IntN(5)]
		switch {
		case strings.HasSuffix(of.Name, "usage"), strings.HasSuffix(of.Name, "utilization"):
			return r.Float64()
		case of.Kind == sandbox.Integer:
			return float64(r.IntN(int(most) + 1))
		}
		return most * r.Float64()
	}
	at := 0
	for i := range l.Groups {
		for j := range l.Groups[i].Fields {
			f.Scalars[at] = value(&l.Groups[i].Fields[j])
			at++
		}
	}
	if l.Rows != nil {
		f.Resize(l, 4)
		for i := range f.Cells {
			f.Cells[i] = value(&l.Rows.Fields[i%l.Columns()])
		}
	}
	return f
}

// Any numbers that a template allows make answers without faults, and each number counts.
func TestEachNumberCounts(t *testing.T) {
	for _, of := range All() {
		t.Run(of.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			frames := make([]*sandbox.Frame, 500)
			for i := range frames {
				frames[i] = randomFrame(layout(of), r)
			}
			for i := range of.Parameters {
				p := &of.Parameters[i]
				changes := func(f *sandbox.Frame) bool {
					least := run(t, of, map[string]float64{p.Name: p.Min}, f)
					most := run(t, of, map[string]float64{p.Name: p.Max}, f)
					return !slices.Equal(least, most)
				}
				if !slices.ContainsFunc(frames, changes) {
					t.Errorf("%s changes no answer", p.Name)
				}
			}
		})
	}
}

// Each component has a template, and each parameter says what a search needs to know.
func TestTheCatalogue(t *testing.T) {
	for _, c := range []sandbox.Component{sandbox.Admission, sandbox.Priority, sandbox.Routing, sandbox.Scheduler, sandbox.Autoscale} {
		if len(Of(c)) == 0 {
			t.Errorf("the %s has no template", c)
		}
	}
	for _, of := range All() {
		if of.Help == "" || len(of.Parameters) == 0 || Find(of.Name) != of {
			t.Errorf("%+v", of)
		}
		for i := range of.Parameters {
			p := &of.Parameters[i]
			at := field.NewPath(of.Name, p.Name)
			switch {
			case p.Help == "":
				t.Errorf("%s: no help", at)
			case !p.allows(p.Default) || !p.allows(p.Min) || !p.allows(p.Max) || p.Min >= p.Max:
				t.Errorf("%s: %v is not from %v to %v", at, p.Default, p.Min, p.Max)
			case p.Scale != Linear && (p.Scale != Log || p.Min <= 0):
				t.Errorf("%s: scale %q from %v", at, p.Scale, p.Min)
			case of.Parameter(p.Name) != p:
				t.Errorf("%s: two of one name", at)
			}
		}
	}
}

// endpoint is a row of the template weighted_affinity_routing.
func endpoint(f *sandbox.Frame, l *sandbox.Layout, row int, values map[string]float64) {
	for i := range l.Rows.Fields {
		f.Cells[row*l.Columns()+i] = values[l.Rows.Fields[i].Name]
	}
}

// The formula is that of its name: a weighted sum, below all others where the KV blocks are in use.
func TestWeightedAffinityRouting(t *testing.T) {
	of := Find("weighted_affinity_routing")
	l := layout(of)
	f := sandbox.NewFrame(l, 3)
	f.Resize(l, 3)
	endpoint(f, l, 0, map[string]float64{"prefix_affinity": 1, "load_balance": 0.5, "queue_depth": 0.5, "kv_usage": 0.85})
	endpoint(f, l, 1, map[string]float64{"prefix_affinity": 0.5, "load_balance": 1, "queue_depth": 1})
	endpoint(f, l, 2, map[string]float64{"prefix_affinity": 1, "load_balance": 1, "queue_depth": 1, "kv_usage": 0.86})
	for name, tc := range map[string]struct {
		numbers map[string]float64
		want    string
	}{
		"defaults":           {nil, "[0.85 0.65 -3]"},
		"no affinity":        {map[string]float64{"cache_affinity_weight": 0}, "[0.15 0.3 -3.7]"},
		"no threshold":       {map[string]float64{"utilization_threshold": 1}, "[0.85 0.65 1]"},
		"the queue alone":    {map[string]float64{"cache_affinity_weight": 0, "load_balance_weight": 0, "queue_depth_weight": 1}, "[0.5 1 -3]"},
		"the greatest loads": {map[string]float64{"cache_affinity_weight": 1, "load_balance_weight": 1, "queue_depth_weight": 1}, "[2 2.5 -1]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, x := range run(t, of, tc.numbers, f) {
				got = append(got, fmt.Sprintf("%.6g", x))
			}
			if diff := cmp.Diff(tc.want, "["+strings.Join(got, " ")+"]"); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A template whose formula changes has another version; one whose help changes has not.
func TestVersionsFollowTheFormula(t *testing.T) {
	of := *Find("slack_scheduler")
	version := of.Version()
	of.Help, of.Parameters = "other words", nil
	if of.Version() != version {
		t.Error("words count")
	}
	of.Root = map[string]any{"value": 1}
	if of.Version() == version {
		t.Error("the tree does not count")
	}
}

func TestFaultyTemplates(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown field":     "rooot: {value: 1}",
		"an unknown parameter": "root: {value: $x}",
		"a misspelt node":      "root: {valu: 1}",
		"a negative one":       "root: {value: -$x}",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse([]byte(text)); err == nil {
				t.Error("no error")
			}
		})
	}
}
