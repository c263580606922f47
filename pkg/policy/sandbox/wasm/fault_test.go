// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

// score is a module with the function score of this code, between functions of others.
func score(body string, others ...wasmtest.Function) *wasmtest.Module {
	return &wasmtest.Module{Pages: 1, Functions: append([]wasmtest.Function{
		frame, {Export: "score", Params: "i32", Results: "i32", Locals: "i32 f64", Body: body},
	}, others...)}
}

// with is the module after a change.
func with(m *wasmtest.Module, change func(*wasmtest.Module)) *wasmtest.Module {
	change(m)
	return m
}

// faultOf loads a module and calls it twice: the second call says what the first one
// says.
func faultOf(t *testing.T, m *wasmtest.Module) *policy.Fault {
	t.Helper()
	var parameters map[string]float64
	if m.Data == "half" {
		parameters = map[string]float64{"half": 0.5}
	}
	limits := few
	limits.ModuleBytes = 100_000
	l := sandbox.RoutingLayout(names)
	code, fault := Load(m.Bytes(), l, parameters, limits)
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
	return fault
}

type faultyModule struct {
	module  *wasmtest.Module
	kind    policy.FaultKind
	message string
}

func checkFaults(t *testing.T, stage policy.FaultStage, modules map[string]faultyModule) {
	t.Helper()
	for name, tc := range modules {
		t.Run(name, func(t *testing.T) {
			f := faultOf(t, tc.module)
			if f.Component != "routing" || f.Stage != stage || f.Kind != tc.kind || !strings.Contains(f.Message, tc.message) {
				t.Errorf("%+v", f)
			}
		})
	}
}

const (
	loop = "loop void br 0 end "
	// twice is the code of function 2, which calls itself twice for the number before.
	twice = "local.get 0 if void local.get 0 i32.const 1 i32.sub call 2 drop local.get 0 i32.const 1 i32.sub call 2 drop end i32.const 0"
)

func TestFaultsOfCalls(t *testing.T) {
	checkFaults(t, policy.CallStage, map[string]faultyModule{
		"an endless loop":             {score(loop + "i32.const 0"), policy.BudgetFault, "more than 10000 steps"},
		"an endless loop of a branch": {score("loop i32 i32.const 1 br_if 0 i32.const 0 end"), policy.BudgetFault, "more than 10000 steps"},
		"an endless loop of a table":  {score("loop void i32.const 7 br_table 2 0 0 0 end i32.const 0"), policy.BudgetFault, "more than 10000 steps"},
		"loops in loops": {
			score("loop void loop void loop void local.get 1 i32.const 1 i32.add local.tee 1 br_if 0 end br 0 end br 0 end i32.const 0"),
			policy.BudgetFault, "more than 10000 steps",
		},
		"recursion": {score("local.get 0 call 1"), policy.ErrorFault, "nest more than 1000 deep"},
		"recursion of two": {
			score("local.get 0 call 2", wasmtest.Function{Params: "i32", Results: "i32", Body: "local.get 0 call 1"}),
			policy.ErrorFault, "nest more than 1000 deep",
		},
		"recursion through a table": {
			with(score("local.get 0 i32.const 0 call_indirect 1"), func(m *wasmtest.Module) { m.Table = []int{1} }),
			policy.ErrorFault, "nest more than 1000 deep",
		},
		"calls that double": {
			score("i32.const 30 call 2", wasmtest.Function{Params: "i32", Results: "i32", Body: twice}),
			policy.BudgetFault, "more than 10000 steps",
		},
		"frames of many locals": {
			score("local.get 0 call 2", wasmtest.Function{Params: "i32", Results: "i32", Locals: strings.Repeat("i64 ", 5000), Body: "local.get 0 call 2"}),
			policy.BudgetFault, "more than 10000 steps",
		},
		"a table of other functions": {
			with(score("local.get 0 i32.const 0 call_indirect 1"), func(m *wasmtest.Module) { m.Table = []int{2}; m.Functions = append(m.Functions, wasmtest.Function{}) }),
			policy.ErrorFault, "indirect call",
		},
		"a place beyond the table": {
			with(score("local.get 0 i32.const 9 call_indirect 1"), func(m *wasmtest.Module) { m.Table = []int{1} }),
			policy.ErrorFault, "invalid table access",
		},
		"much memory that is filled": {
			score("i32.const 3 memory.grow drop loop void i32.const 0 i32.const 1 i32.const 250000 memory.fill br 0 end i32.const 0"),
			policy.BudgetFault, "more than 10000 steps",
		},
		"much memory that is copied": {
			score("i32.const 3 memory.grow drop i32.const 0 i32.const 1 i32.const 250000 memory.copy i32.const 0"),
			policy.BudgetFault, "more than 10000 steps",
		},
		"memory without end": {
			score("loop void i32.const 1 memory.grow i32.const -1 i32.ne br_if 0 end i32.const 0 i32.load 262144"),
			policy.ErrorFault, "out of bounds memory access",
		},
		"a division by zero":         {score("i32.const 1 i32.const 0 i32.div_s"), policy.ErrorFault, "integer divide by zero"},
		"a number that is too large": {score("f64.const 1e300 i32.trunc_f64_s"), policy.ErrorFault, "integer overflow"},
		"unreachable":                {score("unreachable"), policy.ErrorFault, "unreachable"},
		"failure":                    {score("i32.const -3"), policy.ErrorFault, "score answers -3, and 0 is success"},
		"no answer":                  {score("i32.const 0"), policy.NonFiniteFault, "not finite"},
		"not a number": {
			score("i32.const 216 f64.const nan f64.store 0 i32.const 224 f64.const 1 f64.store 0 i32.const 0"),
			policy.NonFiniteFault, "not finite",
		},
		"infinity": {
			score("i32.const 216 f64.const 1 f64.store 0 i32.const 224 f64.const inf f64.store 0 i32.const 0"),
			policy.NonFiniteFault, "not finite",
		},
		"a buffer beyond the memory": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Functions[0] = wasmtest.Frame(65536) }),
			policy.ValueFault, "frame answers the address 65536 for 232 bytes, and the memory has 65536",
		},
		"a buffer that ends beyond it": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Functions[0] = wasmtest.Frame(65305) }),
			policy.ValueFault, "the address 65305",
		},
		"a buffer at a negative address": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Functions[0] = wasmtest.Frame(-8) }),
			policy.ValueFault, "the address 4294967288",
		},
		"a buffer that is never ready": {
			with(score("i32.const 0"), func(m *wasmtest.Module) { m.Functions[0].Body = loop + "unreachable" }),
			policy.BudgetFault, "more than 10000 steps",
		},
	})
}
