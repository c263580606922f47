// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

var names = sandbox.Names{Tenants: []string{"a", "b"}, Classes: []string{"chat", "batch"}}

// few are limits that a test reaches soon.
var few = sandbox.Limits{CallSteps: 10_000, RunSteps: 1_000_000, SourceBytes: 1000}

// routing is the frame of a request of 1000 tokens of tenant b, and of endpoints with so
// many waiting requests.
func routing(l *sandbox.Layout, waiting ...float64) *sandbox.Frame {
	f := sandbox.NewFrame(l, len(waiting))
	f.Scalars[0], f.Scalars[1] = 1000, 1
	f.Resize(l, len(waiting))
	for i, n := range waiting {
		row := f.Cells[i*l.Columns() : (i+1)*l.Columns()]
		clear(row)
		row[0], row[1] = float64(i), n
	}
	return f
}

func draws(numbers ...float64) func() float64 {
	next := 0
	return func() float64 {
		next++
		return numbers[(next-1)%len(numbers)]
	}
}

func TestPrograms(t *testing.T) {
	for name, tc := range map[string]struct {
		layout *sandbox.Layout
		source string
		want   []float64
	}{
		"a list of scores": {
			sandbox.RoutingLayout(names),
			"def score(request, endpoints):\n  return [-e.waiting for e in endpoints]",
			[]float64{-3, -1},
		},
		"a tuple": {
			sandbox.RoutingLayout(names),
			"def score(request, endpoints):\n  return tuple([e.number for e in endpoints])",
			[]float64{0, 1},
		},
		"fields of the request": {
			sandbox.RoutingLayout(names),
			"def score(request, endpoints):\n  return [request.tokens // 3] * len(endpoints) if request.tenant == 'b' else []",
			[]float64{333, 333},
		},
		"numbers of the user": {
			sandbox.RoutingLayout(names),
			"def score(request, endpoints):\n  return [parameters.half * endpoints[i].waiting for i in range(len(endpoints))]",
			[]float64{1.5, 0.5},
		},
		"chance": {
			sandbox.RoutingLayout(names),
			"def score(request, endpoints):\n  return [draw() for _ in endpoints]",
			[]float64{0.25, 0.75},
		},
		"math": {
			sandbox.RoutingLayout(names),
			"def score(request, endpoints):\n  return [math.exp(-e.waiting) > 0.1 and 1 or 0 for e in endpoints]",
			[]float64{0, 1},
		},
		"functions of its own": {
			sandbox.RoutingLayout(names),
			"BASE = 10\ndef at(e):\n  return BASE - e.waiting\ndef score(request, endpoints):\n  return [at(e) for e in sorted(endpoints, key=lambda e: e.waiting)]",
			[]float64{9, 7},
		},
		"true admits": {
			sandbox.AdmissionLayout(names),
			"def admit(request, gateway, tenant, endpoints):\n  return gateway.in_flight == 0",
			[]float64{0},
		},
		"false rejects": {
			sandbox.AdmissionLayout(names),
			"def admit(request, gateway, tenant, endpoints):\n  return False",
			[]float64{-1},
		},
		"a delay": {
			sandbox.AdmissionLayout(names),
			"def admit(request, gateway, tenant, endpoints):\n  return 0.5",
			[]float64{0.5},
		},
		"a priority": {
			sandbox.PriorityLayout(names),
			"def prioritize(request, gateway, tenant, endpoints):\n  return -request.tokens",
			[]float64{-1000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, fault := Load(tc.source, tc.layout, map[string]float64{"half": 0.5}, few)
			if fault != nil {
				t.Fatal(fault)
			}
			p, _ := code.New(draws(0.25, 0.75))
			got := make([]float64, len(tc.want))
			if fault := p.Run(routing(tc.layout, 3, 1), got); fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// Each fault has its stage, its kind and its line, and ends the program: it says the same
// from then on.
func TestFaults(t *testing.T) {
	score := func(body string) string { return "def score(request, endpoints):\n  " + body }
	for name, tc := range map[string]struct {
		source  string
		stage   policy.FaultStage
		kind    policy.FaultKind
		line    int
		message string
	}{
		"not the language":          {"def score(:", policy.LoadStage, policy.SyntaxFault, 1, "got ':'"},
		"a name that is not there":  {score("return x"), policy.LoadStage, policy.SyntaxFault, 2, "undefined: x"},
		"while":                     {score("while True: pass"), policy.LoadStage, policy.SyntaxFault, 2, "does not support while"},
		"load":                      {"load('x.star', 'y')\n" + score("return y"), policy.LoadStage, policy.SyntaxFault, 1, "load is not offered"},
		"no function":               {"x = 1", policy.LoadStage, policy.TypeFault, 0, "there is no function score(request, endpoints)"},
		"other arguments":           {"def score(request):\n  return 1", policy.LoadStage, policy.TypeFault, 1, "is to be score(request, endpoints)"},
		"a long source":             {"#" + strings.Repeat("x", 1000), policy.LoadStage, policy.MemoryFault, 0, "1001 bytes, and may have 1000"},
		"work at the top level":     {"x = [i for i in range(99999)]\n" + score("return x"), policy.LoadStage, policy.BudgetFault, 1, "more than 10000 steps"},
		"chance at the top level":   {"x = draw()\n" + score("return x"), policy.LoadStage, policy.ErrorFault, 1, "no random numbers"},
		"a loop":                    {score("return [1 for a in range(1000) for b in range(1000)]"), policy.CallStage, policy.BudgetFault, 2, "more than 10000 steps"},
		"a long range":              {score("return range(1 << 40)"), policy.CallStage, policy.ErrorFault, 2, "may have 100000"},
		"a sort":                    {score("return sorted(range(99999))"), policy.CallStage, policy.BudgetFault, 2, "more than 10000 steps"},
		"recursion":                 {"def f(n):\n  return f(n)\n" + score("return f(1)"), policy.CallStage, policy.ErrorFault, 2, "called recursively"},
		"a division by zero":        {score("return [1 // e.number for e in endpoints]"), policy.CallStage, policy.ErrorFault, 2, "division by zero"},
		"a field that is not there": {score("return [e.output_tokens for e in endpoints]"), policy.CallStage, policy.ErrorFault, 2, "no .output_tokens field"},
		"a change of a field":       {score("request.tokens = 1\n  return []"), policy.CallStage, policy.ErrorFault, 2, "can't assign to .tokens field"},
		"an endpoint out of range":  {score("return [endpoints[9].waiting]"), policy.CallStage, policy.ErrorFault, 2, "out of range"},
		"a change of a global":      {"seen = []\n" + score("seen.append(1)\n  return []"), policy.CallStage, policy.ErrorFault, 3, "frozen"},
		"nothing":                   {score("pass"), policy.CallStage, policy.TypeFault, 1, "returns a NoneType"},
		"a text":                    {score("return 'best'"), policy.CallStage, policy.TypeFault, 1, "returns a string"},
		"too few scores":            {score("return [1]"), policy.CallStage, policy.TypeFault, 1, "1 numbers for 2 endpoints"},
		"a score that is a text":    {score("return ['a', 'b']"), policy.CallStage, policy.TypeFault, 1, "a list with a string"},
		"not a number":              {score("return [float('nan')] * 2"), policy.CallStage, policy.NonFiniteFault, 0, "not finite"},
		"infinity":                  {score("return [1, float('inf')]"), policy.CallStage, policy.NonFiniteFault, 0, "not finite"},
		"a huge whole number":       {score("return [1, 10000000000 * 1 << 500 << 500 << 500]"), policy.CallStage, policy.NonFiniteFault, 0, "not finite"},
	} {
		t.Run(name, func(t *testing.T) {
			limits := few
			if strings.Contains(name, "long source") {
				limits.SourceBytes = 1000
			}
			l := sandbox.RoutingLayout(names)
			code, fault := Load(tc.source, l, nil, limits)
			if fault == nil {
				p, _ := code.New(draws(0))
				fault = p.Run(routing(l, 3, 1), make([]float64, 2))
				if again := p.Run(routing(l, 3, 1), make([]float64, 2)); again != fault {
					t.Errorf("the next call says %v", again)
				}
			}
			if fault == nil {
				t.Fatal("no fault")
			}
			if fault.Component != "routing" || fault.Stage != tc.stage || fault.Kind != tc.kind || fault.Line != tc.line || !strings.Contains(fault.Message, tc.message) {
				t.Errorf("%+v", fault)
			}
		})
	}
}

// All calls of a run are bounded together.
func TestRunSteps(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	code, fault := Load("def score(request, endpoints):\n  return [0 for e in endpoints]", l, nil, sandbox.Limits{CallSteps: 100, RunSteps: 1000, SourceBytes: 1000})
	if fault != nil {
		t.Fatal(fault)
	}
	p, _ := code.New(draws(0))
	calls, frame, answer := 0, routing(l, 1, 2), make([]float64, 2)
	for fault = p.Run(frame, answer); fault == nil; fault = p.Run(frame, answer) {
		calls++
	}
	if fault.Stage != policy.RunStage || fault.Kind != policy.BudgetFault || calls < 10 || calls > 1000 {
		t.Errorf("after %d calls: %+v", calls, fault)
	}
}

// Several simulations share code, and no call leaves anything for the next one.
func TestProgramsShareCode(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	code, fault := Load("def score(request, endpoints):\n  x = {}\n  for e in endpoints:\n    x[e.number] = e.waiting + draw()\n  return x.values()", l, nil, few)
	if fault != nil {
		t.Fatal(fault)
	}
	results := make(chan []float64)
	for range 4 {
		go func() {
			p, _ := code.New(draws(0.5, 0.25))
			var all []float64
			for i := range 100 {
				answer := make([]float64, 2)
				if fault := p.Run(routing(l, float64(i), 1), answer); fault != nil {
					t.Error(fault)
				}
				all = append(all, answer...)
			}
			results <- all
		}()
	}
	first := <-results
	for range 3 {
		if got := <-results; !slices.Equal(got, first) {
			t.Error("programs of the same code differ")
		}
	}
}

func BenchmarkScore(b *testing.B) {
	for _, n := range []int{8, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := sandbox.RoutingLayout(names).With(sandbox.Field{Name: "prefix"}, sandbox.Field{Name: "queue"}, sandbox.Field{Name: "kv"})
			code, fault := Load("def score(request, endpoints):\n  return [3 * e.prefix + 2 * e.queue + 2 * e.kv for e in endpoints]", l, nil, sandbox.DefaultLimits)
			if fault != nil {
				b.Fatal(fault)
			}
			p, _ := code.New(draws(0))
			frame, answer := routing(l, make([]float64, n)...), make([]float64, n)
			b.ReportAllocs()
			for b.Loop() {
				if fault := p.Run(frame, answer); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}
