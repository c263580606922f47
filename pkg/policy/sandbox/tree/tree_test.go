// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

var names = sandbox.Names{Tenants: []string{"a", "b"}, Classes: []string{"chat"}}

func read(t testing.TB, text string) *Node {
	t.Helper()
	n := &Node{}
	if err := yaml.UnmarshalStrict([]byte(text), n); err != nil {
		t.Fatal(err)
	}
	return n
}

// frame has a request of 1000 tokens of tenant b and endpoints with so many waiting
// requests.
func frame(l *sandbox.Layout, waiting ...float64) *sandbox.Frame {
	f := sandbox.NewFrame(l, len(waiting))
	f.Scalars[0], f.Scalars[1] = 1000, 1
	f.Resize(l, len(waiting))
	clear(f.Cells)
	for i, n := range waiting {
		f.Cells[i*l.Columns()+1] = n
	}
	return f
}

func TestTrees(t *testing.T) {
	for name, tc := range map[string]struct {
		layout *sandbox.Layout
		tree   string
		want   []float64
	}{
		"a number":       {sandbox.RoutingLayout(names), "value: 2", []float64{2, 2}},
		"a sum":          {sandbox.RoutingLayout(names), "{sum: [{field: endpoints.waiting, times: -2}, {field: request.tokens, times: 0.5}], plus: 1}", []float64{495, 499}},
		"above":          {sandbox.RoutingLayout(names), "{if: {field: endpoints.waiting, above: 1}, then: {value: 1}, else: {value: 0}}", []float64{1, 0}},
		"at least":       {sandbox.RoutingLayout(names), "{if: {field: endpoints.waiting, atLeast: 1}, then: {value: 1}, else: {value: 0}}", []float64{1, 1}},
		"below":          {sandbox.RoutingLayout(names), "{if: {field: endpoints.waiting, below: 3}, then: {value: 1}, else: {value: 0}}", []float64{0, 1}},
		"at most":        {sandbox.RoutingLayout(names), "{if: {field: endpoints.waiting, atMost: 3}, then: {value: 1}, else: {value: 0}}", []float64{1, 1}},
		"equals":         {sandbox.RoutingLayout(names), "{if: {field: endpoints.waiting, equals: 3}, then: {value: 1}, else: {value: 0}}", []float64{1, 0}},
		"a tenant":       {sandbox.RoutingLayout(names), "{if: {field: request.tenant, is: b}, then: {value: 1}, else: {value: 0}}", []float64{1, 1}},
		"the least":      {sandbox.RoutingLayout(names), "sum: [{field: endpoints.waiting.min, times: 1}]", []float64{1, 1}},
		"the most":       {sandbox.RoutingLayout(names), "sum: [{field: endpoints.waiting.max, times: 1}]", []float64{3, 3}},
		"the mean":       {sandbox.RoutingLayout(names), "sum: [{field: endpoints.waiting.mean, times: 1}]", []float64{2, 2}},
		"one for all":    {sandbox.AdmissionLayout(names), "{if: {field: endpoints.waiting.sum, above: 3}, then: {value: -1}, else: {value: 0}}", []float64{-1}},
		"two decisions":  {sandbox.RoutingLayout(names), "{if: {field: request.tokens, above: 10}, then: {if: {field: endpoints.waiting, above: 2}, then: {value: 3}, else: {value: 4}}, else: {value: 5}}", []float64{3, 4}},
		"without a name": {sandbox.SchedulerLayout(names), "sum: [{field: job.arrival, times: 1}]", []float64{0}},
	} {
		t.Run(name, func(t *testing.T) {
			code, errs := Load(read(t, tc.tree), tc.layout, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			p, _ := code.New(nil)
			got := make([]float64, len(tc.want))
			f := &sandbox.Frame{Scalars: make([]float64, tc.layout.Scalars())}
			if tc.layout.Rows != nil {
				f = frame(tc.layout, 3, 1)
			}
			if fault := p.Run(f, got); fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultyTrees(t *testing.T) {
	deep := "{value: 1}"
	for range maxDepth + 5 {
		deep = "{if: {field: request.tokens, above: 1}, then: " + deep + ", else: {value: 0}}"
	}
	for name, tc := range map[string]struct{ tree, path, message string }{
		"nothing":                 {"{}", "tree", "exactly one of if, value and sum"},
		"two leaves":              {"{value: 1, sum: [{field: request.tokens, times: 1}]}", "tree", "exactly one of if, value and sum"},
		"one branch":              {"{if: {field: request.tokens, above: 1}, then: {value: 1}}", "tree.else", "both branches"},
		"a branch of a leaf":      {"{value: 1, then: {value: 1}}", "tree", "need if"},
		"plus alone":              {"{value: 1, plus: 1}", "tree.plus", "needs sum"},
		"a signal that is not":    {"{if: {field: request.output_tokens, above: 1}, then: {value: 1}, else: {value: 1}}", "tree.if.field", "request.tokens"},
		"a group that is not":     {"sum: [{field: clock.now, times: 1}]", "tree.sum[0].field", "request.tokens"},
		"no comparison":           {"{if: {field: request.tokens}, then: {value: 1}, else: {value: 1}}", "tree.if", "exactly one of above"},
		"a name as a number":      {"{if: {field: request.tenant, above: 1}, then: {value: 1}, else: {value: 1}}", "tree.if.field", "compare it with is"},
		"a number as a name":      {"{if: {field: request.tokens, is: x}, then: {value: 1}, else: {value: 1}}", "tree.if.is", "is a number"},
		"a tenant that is not":    {"{if: {field: request.tenant, is: c}, then: {value: 1}, else: {value: 1}}", "tree.if.is", `"a", "b"`},
		"a sum of names":          {"sum: [{field: request.tenant, times: 1}]", "tree.sum[0].field", "not a number"},
		"an unknown word of rows": {"sum: [{field: endpoints.waiting.median, times: 1}]", "tree.sum[0].field", "supported values"},
		"a deep tree":             {deep, "", "50 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Load(read(t, tc.tree), sandbox.RoutingLayout(names), field.NewPath("tree"))
			if len(errs) == 0 {
				t.Fatal("no error")
			}
			if tc.path != "" && errs[0].Field != tc.path || !strings.Contains(errs[0].Error(), tc.message) {
				t.Errorf("%v", errs)
			}
		})
	}
}

func BenchmarkTree(b *testing.B) {
	l := sandbox.RoutingLayout(names).With(sandbox.Field{Name: "prefix"}, sandbox.Field{Name: "queue"}, sandbox.Field{Name: "kv"})
	code, errs := Load(read(b, "sum: [{field: endpoints.prefix, times: 3}, {field: endpoints.queue, times: 2}, {field: endpoints.kv, times: 2}]"), l, nil)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	p, _ := code.New(nil)
	f, answer := frame(l, make([]float64, 16)...), make([]float64, 16)
	b.ReportAllocs()
	for b.Loop() {
		p.Run(f, answer)
	}
}
