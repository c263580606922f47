// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

func TestFaultsAtLoad(t *testing.T) {
	checkFaults(t, policy.LoadStage, map[string]faultyModule{
		"much memory from the start": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Pages = 5 }),
			policy.MemoryFault, "needs 5 pages of memory, and may have 4",
		},
		"a large table": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Table = make([]int, 1<<16+1) }),
			policy.MemoryFault, "needs 65537 elements of a table, and may have 65536",
		},
		"no memory": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.NoMemory = true }),
			policy.TypeFault, "exports no memory of the name memory",
		},
		"no function": {&wasmtest.Module{Functions: []wasmtest.Function{frame}}, policy.TypeFault, "exports no function score(i32) -> (i32)"},
		"no frame": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Functions[0].Export = "" }),
			policy.TypeFault, "exports no function frame(i32) -> (i32)",
		},
		"another signature": {
			with(score("f64.const 0"), func(m *wasmtest.Module) { m.Functions[1].Results = "f64" }),
			policy.TypeFault, "the function score is to be (i32) -> (i32), and is (i32) -> (f64)",
		},
		"an import that is not there": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Imports = []wasmtest.Import{{Module: "env", Name: "abort"}} }),
			policy.TypeFault, "the import env.abort is not there: the only one is the function windtunnel.draw",
		},
		"a name of ours": {
			score("i32.const 0", wasmtest.Function{Export: "windtunnel.steps"}),
			policy.TypeFault, "the name of the export windtunnel.steps",
		},
		"a start function that loops": {
			with(score("i32.const 0", wasmtest.Function{Body: loop}), func(m *wasmtest.Module) { m.Start = 3 }),
			policy.BudgetFault, "more than 10000 steps",
		},
		"a start function that fails": {
			with(score("i32.const 0", wasmtest.Function{Body: "unreachable"}), func(m *wasmtest.Module) { m.Start = 3 }),
			policy.ErrorFault, "unreachable",
		},
		"a start function that returns": {
			with(score("i32.const 0", wasmtest.Function{Results: "i32", Body: "i32.const 0"}), func(m *wasmtest.Module) { m.Start = 3 }),
			policy.SyntaxFault, "has parameters or results",
		},
		"_initialize that loops": {
			score("i32.const 0", wasmtest.Function{Export: "_initialize", Body: loop}),
			policy.BudgetFault, "more than 10000 steps",
		},
		"_initialize with a result": {
			score("i32.const 0", wasmtest.Function{Export: "_initialize", Results: "i32", Body: "i32.const 0"}),
			policy.TypeFault, "the function _initialize is to be () -> ()",
		},
		"chance at the start": {
			&wasmtest.Module{Pages: 1, Imports: []wasmtest.Import{theDraw}, Start: 4, Functions: []wasmtest.Function{frame, {Export: "score", Params: "i32", Results: "i32", Body: "i32.const 0"}, {Body: "call 0 drop"}}},
			policy.ErrorFault, "no random numbers before the first call",
		},
		"data beyond the memory": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Pages, m.Data = 0, "x" }),
			policy.ErrorFault, "out of bounds memory access",
		},
		"an instruction that is not there": {score("0xff i32.const 0"), policy.SyntaxFault, "there is no instruction 0xff"},
		"the counter of steps":             {score("i64.const 9 global.set 0 i32.const 0"), policy.SyntaxFault, "there is no global 0"},
		"a function of another type":       {score("f64.const 0"), policy.SyntaxFault, "cannot use f64 as result[0] type i32"},
		"a block that does not end":        {score("block void i32.const 0"), policy.SyntaxFault, "ends too early"},
		"a block that ends twice":          {score("i32.const 0 end i32.const 0"), policy.SyntaxFault, "longer than what it holds"},
		"blocks that nest deep": {
			score(strings.Repeat("block void ", 1001) + strings.Repeat("end ", 1001) + "i32.const 0"),
			policy.SyntaxFault, "nest more than 1000 deep",
		},
		"many jumps":  {score(strings.Repeat("block void end ", 2001) + "i32.const 0"), policy.SyntaxFault, "a function has more than 2000 jumps"},
		"many locals": {score("i32.const 0", wasmtest.Function{Locals: strings.Repeat("i64 ", 10001)}), policy.SyntaxFault, "more than 10000 locals"},
		"many results": {
			score("i32.const 0", wasmtest.Function{Results: strings.Repeat("i64 ", 11), Body: "unreachable"}),
			policy.SyntaxFault, "11 results, and may have 10",
		},
		"a number for a parameter not there": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Data = "half" }),
			policy.TypeFault, "exports no function set_half(f64) -> ()",
		},
		"a parameter of another type": {
			with(score("i32.const 0", wasmtest.Function{Export: "set_half", Params: "f32"}), func(m *wasmtest.Module) { m.Data = "half" }),
			policy.TypeFault, "set_half is to be (f64) -> (), and is (f32) -> ()",
		},
		"a parameter that is never ready": {
			with(score("i32.const 0", wasmtest.Function{Export: "set_half", Params: "f64", Body: loop}), func(m *wasmtest.Module) { m.Data = "half" }),
			policy.BudgetFault, "more than 10000 steps",
		},
		"a module that is too large": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Data = strings.Repeat("x", 100_001) }),
			policy.MemoryFault, "bytes, and may have 100000",
		},
	})
}

// What a module needs and is not there has its name.
func TestPartsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		module *wasmtest.Module
		what   string
	}{
		"SIMD":                    {score("0xfd 0x0c " + strings.Repeat("0x00 ", 16) + "drop i32.const 0"), "SIMD"},
		"SIMD in a type":          {score("i32.const 0", wasmtest.Function{Params: "v128"}), "SIMD"},
		"threads":                 {score("0xfe 0x03 0x00 i32.const 0"), "threads"},
		"exceptions":              {score("0x08 0x00 i32.const 0"), "exceptions"},
		"tail calls":              {score("local.get 0 0x12 0x01"), "tail calls"},
		"references to functions": {score("0xd2 0x00 drop i32.const 0"), "references"},
		"garbage collection":      {score("0xfb 0x00 i32.const 0"), "garbage collection"},
	} {
		t.Run(name, func(t *testing.T) {
			f := faultOf(t, tc.module)
			if f.Stage != policy.LoadStage || f.Kind != policy.SyntaxFault || !strings.Contains(f.Message, "needs "+tc.what+", which is not offered") {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A module whose end is missing is no module, wherever it is cut.
func TestModulesThatAreCut(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	whole := wasmtest.Weighted("score", l.Scalars(), l.Columns(), map[int]float64{1: -1}).Bytes()
	if _, fault := Load(whole, l, nil, few); fault != nil {
		t.Fatal(fault)
	}
	for n := range whole {
		if _, fault := Load(whole[:n], l, nil, few); fault == nil || fault.Stage != policy.LoadStage {
			t.Errorf("the first %d bytes: %v", n, fault)
		}
	}
}

// Text is no module, and much of it is too much before anything reads it.
func TestTextIsNoModule(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	for text, want := range map[string]policy.FaultKind{
		"":                                 policy.SyntaxFault,
		"(module)":                         policy.SyntaxFault,
		"\x00asm\x02\x00\x00\x00":          policy.SyntaxFault,
		strings.Repeat("(module)", 10<<17): policy.MemoryFault,
	} {
		if _, fault := Load([]byte(text), l, nil, sandbox.DefaultLimits); fault == nil || fault.Kind != want {
			t.Errorf("%d bytes: %v", len(text), fault)
		}
	}
}
