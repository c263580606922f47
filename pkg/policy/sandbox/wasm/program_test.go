// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

var names = sandbox.Names{Tenants: []string{"a", "b"}, Classes: []string{"chat", "batch"}}

// few are limits that a test reaches soon.
var few = sandbox.Limits{CallSteps: 10_000, RunSteps: 1_000_000, MemoryBytes: 4 * pageBytes, ModuleBytes: 10_000}

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

// one is a function of a component that answers with what the code leaves, after the cells
// of two rows, where the layout has rows.
func one(l *sandbox.Layout, code string) wasmtest.Function {
	return wasmtest.Function{
		Export: l.Function, Params: "i32", Results: "i32",
		Body: fmt.Sprintf("i32.const 0 %s f64.store %d i32.const 0", code, 8*(l.Scalars()+2*l.Columns())),
	}
}

// each is a function that answers with what the code leaves of a row: of its address.
func each(l *sandbox.Layout, row string) wasmtest.Function {
	return wasmtest.Function{
		Export: l.Function, Params: "i32", Results: "i32", Locals: "i32 i32", Body: wasmtest.ForEachRow(l.Scalars(), l.Columns(), row),
	}
}

var (
	theDraw = wasmtest.Import{Module: "windtunnel", Name: "draw", Results: "f64"}
	frame   = wasmtest.Frame(0)
	// half is the function set_half, which keeps its number in the first global.
	half       = wasmtest.Function{Export: "set_half", Params: "f64", Body: "local.get 0 global.set 0"}
	halfGlobal = wasmtest.Global{Type: "f64", Value: "f64.const 0"}
)

func TestPrograms(t *testing.T) {
	routes, admits := sandbox.RoutingLayout(names), sandbox.AdmissionLayout(names)
	priorities, ranks, scales := sandbox.PriorityLayout(names), sandbox.SchedulerLayout(names), sandbox.AutoscaleLayout()
	for name, tc := range map[string]struct {
		layout *sandbox.Layout
		module wasmtest.Module
		want   []float64
	}{
		"a score of each endpoint": {
			routes, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, each(routes, "local.get 1 f64.load 8 f64.neg")}},
			[]float64{-3, -1},
		},
		"fields of the request": {
			routes, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, each(routes, "i32.const 0 f64.load 0 i32.const 0 f64.load 8 f64.add")}},
			[]float64{1001, 1001},
		},
		"a buffer at an odd address": {
			routes, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{
				wasmtest.Frame(13),
				{Export: "score", Params: "i32", Results: "i32", Body: fmt.Sprintf("i32.const %d f64.const 1 f64.store 0 i32.const %d f64.const 2 f64.store 0 i32.const 0", 13+8*27, 13+8*28)},
			}},
			[]float64{1, 2},
		},
		"numbers of the user": {
			routes, wasmtest.Module{
				Pages: 1, Globals: []wasmtest.Global{halfGlobal}, Functions: []wasmtest.Function{frame, half, each(routes, "local.get 1 f64.load 8 global.get 0 f64.mul")},
			},
			[]float64{1.5, 0.5},
		},
		"chance": {
			routes, wasmtest.Module{
				Pages: 1, Imports: []wasmtest.Import{theDraw}, Functions: []wasmtest.Function{frame, half, each(routes, "call 0")}, Globals: []wasmtest.Global{halfGlobal},
			},
			[]float64{0.25, 0.75},
		},
		"a start function and _initialize": {
			routes, wasmtest.Module{
				Pages: 1, Globals: []wasmtest.Global{halfGlobal}, Start: 1, Functions: []wasmtest.Function{
					{Body: "global.get 0 f64.const 1 f64.add global.set 0"}, {Body: "global.get 0 f64.const 3 f64.add global.set 0"},
					{Export: "_initialize", Body: "global.get 0 f64.const 2 f64.mul global.set 0"},
					frame, {Export: "set_half", Params: "f64"}, each(routes, "global.get 0"),
				},
			},
			[]float64{2, 2},
		},
		"data and a table": {
			routes, wasmtest.Module{
				Pages: 1, Data: "\x00\x00\x00\x00\x00\x00\x08\x40", Table: []int{1}, Functions: []wasmtest.Function{
					wasmtest.Frame(0), {Results: "f64", Body: "i32.const 0 f64.load 0"},
					{Export: "set_half", Params: "f64", Body: "i32.const 0 call_indirect 1 global.set 0"},
					each(routes, "global.get 0"),
				}, Globals: []wasmtest.Global{halfGlobal},
			},
			[]float64{3, 3},
		},
		"data that is copied": {
			routes, wasmtest.Module{Pages: 1, Passive: "--\x00\x00\x00\x00\x00\x00\x08\x40", Functions: []wasmtest.Function{
				frame, {Export: "_initialize", Body: "i32.const 9000 i32.const 2 i32.const 8 memory.init 0 data.drop 0"}, each(routes, "i32.const 9000 f64.load 0"),
			}},
			[]float64{3, 3},
		},
		"a long number for the table, as some compilers write it": {
			routes, wasmtest.Module{Pages: 1, Table: []int{1}, Functions: []wasmtest.Function{
				frame, {Results: "f64", Body: "f64.const 4"}, each(routes, "i32.const 0 0x11 0x01 0x80 0x80 0x80 0x80 0x00"),
			}},
			[]float64{4, 4},
		},
		"memory that grows with the buffer": {
			routes, wasmtest.Module{
				Functions: []wasmtest.Function{{Export: "frame", Params: "i32", Results: "i32", Body: "i32.const 1 memory.grow"}, each(routes, "local.get 1 f64.load 8")},
			},
			[]float64{3, 1},
		},
		"memory that grows in a call": {
			routes, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, each(routes, "local.get 1 f64.load 8 i32.const 1 memory.grow drop")}},
			[]float64{3, 1},
		},
		"a verdict":  {admits, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, one(admits, "f64.const 0.5")}}, []float64{0.5}},
		"a priority": {priorities, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, one(priorities, "i32.const 0 f64.load 0 f64.neg")}}, []float64{-1000}},
		"replicas":   {scales, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, each(scales, "local.get 1 f64.load 0 f64.const 1 f64.add")}}, []float64{1, 2}},
		"a rank": {
			ranks, wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, {
				Export: "rank", Params: "i32", Results: "i32", Body: "i32.const 0 i32.const 0 f64.load 0 f64.const 2 f64.mul f64.store 56 local.get 0",
			}}}, []float64{2000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var parameters map[string]float64
			if slices.ContainsFunc(tc.module.Functions, func(f wasmtest.Function) bool { return f.Export == "set_half" }) {
				parameters = map[string]float64{"half": 0.5}
			}
			code, fault := Load(tc.module.Bytes(), tc.layout, parameters, few)
			if fault != nil {
				t.Fatal(fault)
			}
			p, fault := code.New(draws(0.25, 0.75))
			if fault != nil {
				t.Fatal(fault)
			}
			in := sandbox.NewFrame(tc.layout, 2)
			in.Scalars[0] = 1000
			if tc.layout.Rows != nil {
				in = routing(tc.layout, 3, 1)
			}
			for range 2 { // the first call is no other than the next ones
				got := make([]float64, len(tc.want))
				if fault := p.Run(in, got); fault != nil {
					t.Fatal(fault)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// The buffer grows in steps, so a module that never frees memory is asked for a few only.
func TestTheBufferGrows(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	m := wasmtest.Module{Pages: 2, Globals: []wasmtest.Global{{Type: "i32", Value: "i32.const 0"}}, Functions: []wasmtest.Function{
		{Export: "frame", Params: "i32", Results: "i32", Body: "global.get 0 i32.const 1 i32.add global.set 0 i32.const 0"},
		each(l, "global.get 0 f64.convert_i32_s"),
	}}
	code, fault := Load(m.Bytes(), l, nil, sandbox.DefaultLimits)
	if fault != nil {
		t.Fatal(fault)
	}
	p, _ := code.New(draws(0))
	var got []float64
	for n := 1; n <= 256; n++ {
		answer := make([]float64, n)
		if fault := p.Run(routing(l, answer...), answer); fault != nil {
			t.Fatal(fault)
		}
		got = append(got, answer[n-1])
	}
	if times := got[len(got)-1]; times > 9 || got[0] != 1 {
		t.Errorf("%v times", times)
	}
}

// What a module keeps is its simulation's.
func TestProgramsShareCode(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	m := wasmtest.Module{Pages: 1, Imports: []wasmtest.Import{theDraw}, Globals: []wasmtest.Global{halfGlobal}, Functions: []wasmtest.Function{
		frame, each(l, "global.get 0 call 0 f64.add global.set 0 global.get 0"),
	}}
	code, fault := Load(m.Bytes(), l, nil, few)
	if fault != nil {
		t.Fatal(fault)
	}
	results := make(chan []float64)
	for range 4 {
		go func() {
			p, _ := code.New(draws(0.5, 0.25))
			var all []float64
			for range 100 {
				answer := make([]float64, 2)
				if fault := p.Run(routing(l, 3, 1), answer); fault != nil {
					t.Error(fault)
				}
				all = append(all, answer...)
			}
			results <- all
		}()
	}
	first := <-results
	if first[0] != 0.5 || first[199] != 75 {
		t.Errorf("%v", first)
	}
	for range 3 {
		if got := <-results; !slices.Equal(got, first) {
			t.Error("programs of the same code differ")
		}
	}
}

// All calls of a run are bounded together.
func TestRunSteps(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{frame, each(l, "f64.const 1")}}
	code, fault := Load(m.Bytes(), l, nil, sandbox.Limits{CallSteps: 100, RunSteps: 1000, MemoryBytes: pageBytes, ModuleBytes: 1000})
	if fault != nil {
		t.Fatal(fault)
	}
	p, _ := code.New(draws(0))
	calls, in, answer := 0, routing(l, 1, 2), make([]float64, 2)
	for fault = p.Run(in, answer); fault == nil; fault = p.Run(in, answer) {
		calls++
	}
	if fault.Stage != policy.RunStage || fault.Kind != policy.BudgetFault || !strings.Contains(fault.Message, "than 1000 steps") || calls < 10 || calls > 100 {
		t.Errorf("after %d calls: %+v", calls, fault)
	}
}

func BenchmarkScore(b *testing.B) {
	for _, n := range []int{8, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := sandbox.RoutingLayout(names).With(sandbox.Field{Name: "prefix"}, sandbox.Field{Name: "queue"}, sandbox.Field{Name: "kv"})
			module := wasmtest.Weighted("score", l.Scalars(), l.Columns(), map[int]float64{9: 3, 10: 2, 11: 2})
			code, fault := Load(module.Bytes(), l, nil, sandbox.DefaultLimits)
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
