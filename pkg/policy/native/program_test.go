// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/starlark"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// programOf reads a program of the signals prefix, queue, kv and in_flight.
func programOf(t *testing.T, load func(*sandbox.Layout) (sandbox.Code, field.ErrorList)) *Config {
	t.Helper()
	c, errs := LoadProgram(ProgramSpec{
		Signals: []ProgramSignal{
			{Field: "prefix", Name: "prefix-affinity"}, {Field: "queue", Name: "queue-depth"}, {Field: "kv", Name: "kv-utilization"},
			{Field: "in_flight", Name: "in-flight"},
		},
		Load: load,
	}, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return c
}

func inStarlark(source string) func(*sandbox.Layout) (sandbox.Code, field.ErrorList) {
	return func(l *sandbox.Layout) (sandbox.Code, field.ErrorList) {
		code, fault := starlark.Load(source, l, nil, sandbox.DefaultLimits)
		if fault != nil {
			return nil, field.ErrorList{field.Invalid(nil, source, fault.Error())}
		}
		return code, nil
	}
}

// inWASM is a module that adds up columns with weights, which are by the names of fields.
func inWASM(weights map[string]float64) func(*sandbox.Layout) (sandbox.Code, field.ErrorList) {
	return func(l *sandbox.Layout) (sandbox.Code, field.ErrorList) {
		columns := map[int]float64{}
		for i, f := range l.Rows.Fields {
			if weight, ok := weights[f.Name]; ok {
				columns[i] = weight
			}
		}
		code, fault := wasm.Load(wasmtest.Weighted(l.Function, l.Scalars(), l.Columns(), columns).Bytes(), l, nil, sandbox.DefaultLimits)
		if fault != nil {
			return nil, field.ErrorList{field.Invalid(nil, field.OmitValueType{}, fault.Error())}
		}
		return code, nil
	}
}

func asTree(n *tree.Node) func(*sandbox.Layout) (sandbox.Code, field.ErrorList) {
	return func(l *sandbox.Layout) (sandbox.Code, field.ErrorList) { return tree.Load(n, l, nil) }
}

// A program that adds up what a weighted policy does decides as that, ties included, while
// endpoints come and go.
func TestProgramsDecideAsTheWeightedPolicy(t *testing.T) {
	weighted := three(ModeEPP, 3, 2, 2)
	for name, config := range map[string]*Config{
		"starlark": programOf(t, inStarlark("def score(request, endpoints):\n  return [3 * e.prefix + 2 * e.queue + 2 * e.kv for e in endpoints]")),
		"wasm":     programOf(t, inWASM(map[string]float64{"prefix": 3, "queue": 2, "kv": 2})),
		"tree": programOf(t, asTree(&tree.Node{Sum: []tree.Term{
			{Field: "endpoints.prefix", Times: 3}, {Field: "endpoints.queue", Times: 2}, {Field: "endpoints.kv", Times: 2},
		}})),
	} {
		t.Run(name, func(t *testing.T) {
			want, faults := mustNew(t, weighted, 5), &policy.Faults{}
			got := NewReplicas(config, 5, 1, 1, faults)[0]
			stream := stats.NewStream(1, "test")
			for id := range 2000 {
				v := view(make([]policy.Scrape, 5)...)
				v.Down = make([]bool, 5)
				for e := range v.Scrapes {
					v.Scrapes[e].Waiting, v.Scrapes[e].KVUsage = stream.IntN(3), float64(stream.IntN(4))/3
					v.Down[e] = e > 0 && stream.IntN(5) == 0
				}
				q := request(id, text(uint64(stream.IntN(5)), 160), text(uint64(100+id), 40))
				a, _ := want.Route(v, q)
				b, _ := got.Route(v, q)
				if a != b {
					t.Fatalf("request %d: %+v, weighted %+v", id, b, a)
				}
			}
			if f := faults.First(); f != nil {
				t.Error(f)
			}
		})
	}
}

// A program sees which requests are in flight, and how much of the prompt an endpoint is
// believed to hold.
func TestSignalsOfPrograms(t *testing.T) {
	r := New(programOf(t, inStarlark("def score(request, endpoints):\n  return [-1000 * e.in_flight + e.prefix_tokens for e in endpoints]")), 2, 1)
	first := route(t, r, view(policy.Scrape{}, policy.Scrape{}), request(0, text(1, 160)))
	if second := route(t, r, view(policy.Scrape{}, policy.Scrape{}), request(1, text(1, 160))); second == first {
		t.Error("both went to the endpoint with a request in flight")
	}
	r.Finished(request(0), first)
	r.Finished(request(1), 1-first)
	if third := route(t, r, view(policy.Scrape{}, policy.Scrape{Waiting: 9}), request(2, text(1, 160))); third != 0 && third != 1 {
		t.Error(third)
	}
}

// The first fault counts, and the program is not asked again.
func TestFaultsOfPrograms(t *testing.T) {
	faults := &policy.Faults{}
	r := NewReplicas(programOf(t, inStarlark("def score(request, endpoints):\n  return [1 // (3 - request.tokens) for e in endpoints]")), 2, 1, 1, faults)[0]
	for tokens := 1; tokens < 6; tokens++ {
		route(t, r, view(policy.Scrape{}, policy.Scrape{}), request(tokens, text(1, tokens)))
		if got := faults.First() != nil; got != (tokens >= 3) {
			t.Fatalf("%d tokens: %v", tokens, faults.First())
		}
	}
	if f := faults.First(); f.Component != "routing" || f.Line != 2 || f.Kind != policy.ErrorFault {
		t.Errorf("%+v", f)
	}
}

// Each scorer that looks at prefixes says what it believes, so its signal has two fields.
func TestPrefixScorersBelieve(t *testing.T) {
	for _, s := range scorers {
		r := newReader(nil, nil)
		made := s.read(r)(&builder{endpoints: 1, router: &Router{}})
		if _, ok := made.(believer); ok != (s.subject == PrefixSubject) {
			t.Errorf("%s: %v", s.name, ok)
		}
	}
}

func TestFaultySignals(t *testing.T) {
	for name, tc := range map[string]struct {
		signals []ProgramSignal
		path    string
	}{
		"a scorer that is not there":    {[]ProgramSignal{{Field: "x", Name: "x"}}, "p.signals[0].name"},
		"a parameter that is not there": {[]ProgramSignal{{Field: "x", Name: "queue-depth", Parameters: map[string]string{"y": "1"}}}, "p.signals[0].parameters[y]"},
		"a parameter of a count":        {[]ProgramSignal{{Field: "x", Name: "in-flight", Parameters: map[string]string{"y": "1"}}}, "p.signals[0].parameters[y]"},
		"two of a name":                 {[]ProgramSignal{{Field: "x", Name: "in-flight"}, {Field: "x", Name: "queue-depth"}}, "p.signals[1].field"},
		"the name of a field":           {[]ProgramSignal{{Field: "waiting", Name: "in-flight"}}, "p.signals[0].field"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := LoadProgram(ProgramSpec{Signals: tc.signals}, field.NewPath("p"))
			if len(errs) != 1 || errs[0].Field != tc.path {
				t.Error(errs)
			}
		})
	}
}
