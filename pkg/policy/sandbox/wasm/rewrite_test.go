// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// outcome is what a module leaves after a call of main.
type outcome struct {
	Result uint64
	Trap   string
	Memory string
	Steps  uint64 // that are left; 0 for a module without a counter
}

// outcomeOf calls main of a valid module.
func outcomeOf(engine wazero.RuntimeConfig, module []byte) outcome {
	machine := wazero.NewRuntimeWithConfig(background, engine.WithCoreFeatures(features))
	defer machine.Close(background)
	instance, err := machine.InstantiateWithConfig(background, module, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		return outcome{Trap: firstLine(err)}
	}
	stack := []uint64{3, math.MaxUint64, api.EncodeF32(1.5), api.EncodeF64(-2.5)}
	err = instance.ExportedFunction("main").CallWithStack(background, stack)
	o := outcome{Result: stack[0]}
	if err != nil {
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
		o = outcome{Trap: firstLine(err)}
	}
	memory, _ := instance.Memory().Read(0, instance.Memory().Size())
	o.Memory = string(bytes.Clone(memory))
	if steps := instance.ExportedGlobal(stepsName); steps != nil {
		o.Steps = steps.Get()
	}
	return o
}

var (
	compiler    = wazero.NewRuntimeConfigCompiler()
	interpreter = wazero.NewRuntimeConfigInterpreter()
)

// A rewritten module does what the module did, but for the bits of NaNs.
func checkSameResults(t *testing.T, seed int64) (trapped bool) {
	module := randomModule(seed, false).Bytes()
	rewritten, fault := rewrite(module, sandbox.DefaultLimits)
	if fault != nil {
		t.Fatalf("seed %d: %v", seed, fault)
	}
	want, got := outcomeOf(interpreter, module), outcomeOf(interpreter, rewritten)
	if got.Steps == 0 || got.Steps >= sandbox.DefaultLimits.CallSteps {
		t.Errorf("seed %d: %d steps are left", seed, got.Steps)
	}
	got.Steps = 0
	if a, b := api.DecodeF64(want.Result), api.DecodeF64(got.Result); a != a && b != b {
		got.Result = want.Result
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seed %d: the rewritten module differs (-want +got):\n%s", seed, diff)
	}
	return want.Trap != ""
}

// The engines leave the same bits in the result and in the memory, and count the same steps.
func checkSameBits(t *testing.T, seed int64) {
	rewritten, fault := rewrite(randomModule(seed, true).Bytes(), sandbox.DefaultLimits)
	if fault != nil {
		t.Fatalf("seed %d: %v", seed, fault)
	}
	if diff := cmp.Diff(outcomeOf(interpreter, rewritten), outcomeOf(compiler, rewritten)); diff != "" {
		t.Errorf("seed %d: the engines differ (-interpreter +compiler):\n%s", seed, diff)
	}
}

func randomSeeds() int64 {
	if testing.Short() {
		return 20
	}
	return 300
}

func TestRewrittenModulesDoTheSame(t *testing.T) {
	trapped, n := 0, randomSeeds()
	for seed := range n {
		if checkSameResults(t, seed) {
			trapped++
		}
	}
	if trapped > int(n)/2 {
		t.Errorf("%d of %d modules trap", trapped, n)
	}
}

func TestEnginesAgree(t *testing.T) {
	for seed := range randomSeeds() {
		checkSameBits(t, seed)
	}
}

// Calls nest as deep in both engines, and their frames may be large.
func TestEnginesNestCallsAsDeep(t *testing.T) {
	for depth, want := range map[int]string{maxDepth: "", maxDepth + 1: "unreachable"} {
		m := wasmtest.Module{Functions: []wasmtest.Function{
			{Params: "i32", Locals: strings.Repeat("i64 ", 100), Body: "local.get 0 if void local.get 0 i32.const 1 i32.sub call 0 end"},
			{Export: "main", Params: allTypes, Results: "f64", Body: fmt.Sprintf("i32.const %d call 0 f64.const 0", depth-1)},
		}}
		rewritten, fault := rewrite(m.Bytes(), sandbox.DefaultLimits)
		if fault != nil {
			t.Fatal(fault)
		}
		a, b := outcomeOf(interpreter, rewritten), outcomeOf(compiler, rewritten)
		if a != b || a.Trap != want {
			t.Errorf("%d calls: %q and %q, %d and %d steps", depth, a.Trap, b.Trap, a.Steps, b.Steps)
		}
	}
}

// The bits of each NaN that an operation makes are the same ones, in memory as well.
func TestNaNsAreCanonical(t *testing.T) {
	for name, code := range map[string]string{
		"f64":                       "local.get 3 f64.const 0 f64.mul f64.const 0 f64.div i64.reinterpret_f64",
		"f64 with its sign":         "f64.const -1 f64.sqrt f64.neg f64.sqrt i64.reinterpret_f64",
		"f32":                       "f32.const -1 f32.sqrt i32.reinterpret_f32 i32.const 0x7fc00000 i32.eq i64.extend_i32_u i64.const 0x7ff8000000000000 i64.mul",
		"a payload":                 "i64.const 0x7ff0000000000001 f64.reinterpret_i64 f64.const 1 f64.add i64.reinterpret_f64",
		"a payload of an f32":       "i32.const 0x7f800001 f32.reinterpret_i32 f64.promote_f32 i64.reinterpret_f64",
		"memory":                    "i32.const 0 f64.const inf f64.const inf f64.sub f64.store 64 i32.const 0 i64.load 64",
		"a chain of operations":     "f64.const inf f64.const -inf f64.add f64.const 1 f64.add f64.floor i64.reinterpret_f64",
		"a branch":                  "block f64 f64.const inf f64.const inf f64.sub br 0 end i64.reinterpret_f64",
		"the less of two":           "i64.const 0x7ff8000000000009 f64.reinterpret_i64 f64.const 1 f64.min i64.reinterpret_f64",
		"the sign that is copied":   "f64.const 1 f64.const -1 f64.sqrt f64.copysign f64.const inf f64.mul i64.reinterpret_f64 i64.const 0x0008000000000000 i64.or",
		"a local in between":        "f64.const -1 f64.sqrt local.tee 3 i64.reinterpret_f64",
		"both branches of a choice": "f64.const -1 f64.sqrt f64.const -1 f64.sqrt local.get 0 select i64.reinterpret_f64",
	} {
		t.Run(name, func(t *testing.T) {
			m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: "main", Params: allTypes, Results: "i64", Body: code}}}
			rewritten, fault := rewrite(m.Bytes(), sandbox.DefaultLimits)
			if fault != nil {
				t.Fatal(fault)
			}
			for engine, config := range map[string]wazero.RuntimeConfig{"interpreter": interpreter, "compiler": compiler} {
				if got := outcomeOf(config, rewritten); got.Trap != "" || got.Result != 0x7ff8000000000000 {
					t.Errorf("%s: %x %s", engine, got.Result, got.Trap)
				}
			}
		})
	}
}

// Steps are the instructions of what is entered, its locals, and a part of the bytes that
// are moved.
func TestSteps(t *testing.T) {
	for name, tc := range map[string]struct {
		code string
		want uint64
	}{
		"nothing":               {"f64.const 0", 1 + 4 + 2},
		"a branch not taken":    {"i32.const 0 if void nop nop end f64.const 0", 1 + 4 + 7},
		"a loop of three turns": {"i32.const 3 local.set 0 loop void local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 end f64.const 0", 1 + 4 + 5 + 3*6},
		"bytes that are filled": {"i32.const 0 i32.const 0 i32.const 800 memory.fill f64.const 0", 1 + 4 + 6 + 100},
		"bytes that are moved":  {"i32.const 0 i32.const 0 i32.const 800 memory.copy f64.const 0", 1 + 4 + 6 + 100},
		"bytes of data":         {"i32.const 0 i32.const 0 i32.const 80 memory.init 0 f64.const 0", 1 + 4 + 6 + 10},
		"elements":              {"i32.const 0 i32.const 0 i32.const 8 table.copy f64.const 0", 1 + 4 + 6 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := wasmtest.Module{
				Pages: 1, Passive: strings.Repeat("x", 80), Table: make([]int, 8),
				Functions: []wasmtest.Function{{Export: "main", Params: allTypes, Results: "f64", Body: tc.code}},
			}
			rewritten, fault := rewrite(m.Bytes(), sandbox.Limits{CallSteps: 1000, MemoryBytes: pageBytes})
			if fault != nil {
				t.Fatal(fault)
			}
			if got := 1000 - outcomeOf(interpreter, rewritten).Steps; got != tc.want {
				t.Errorf("%d steps, want %d", got, tc.want)
			}
		})
	}
}

// valid says whether wazero takes a module.
func valid(module []byte) error {
	machine := wazero.NewRuntimeWithConfig(background, interpreter.WithCoreFeatures(features))
	defer machine.Close(background)
	_, err := machine.CompileModule(background, module)
	return err
}

// withoutCustom leaves out the custom sections of a module that was rewritten.
func withoutCustom(module []byte) []byte {
	sections := (&reader{raw: module}).sections()
	out := bytes.Clone(header)
	for _, id := range order {
		if s := sections[id]; s != nil {
			out = append(appendU32(append(out, id), uint32(len(s.raw))), s.raw...)
		}
	}
	return out
}

// checkValidity rewrites a module, which is valid then if it was.
func checkValidity(t *testing.T, module []byte) {
	rewritten, fault := rewrite(module, sandbox.DefaultLimits)
	if fault != nil {
		return
	}
	before, after := valid(withoutCustom(module)), valid(rewritten)
	if (before == nil) != (after == nil) {
		t.Errorf("before: %v, after: %v", before, after)
	}
}

func addModules(f *testing.F) {
	for seed := range int64(10) {
		f.Add(randomModule(seed, true).Bytes())
	}
	f.Add(wasmtest.Weighted("score", 9, 12, map[int]float64{9: 3, 10: 2}).Bytes())
	f.Add((&wasmtest.Module{Imports: []wasmtest.Import{theDraw}, Functions: []wasmtest.Function{frame}}).Bytes())
}

// Any bytes are refused, or rewritten to a module that is valid if they were.
func FuzzRewrite(f *testing.F) {
	addModules(f)
	f.Fuzz(func(t *testing.T, module []byte) { checkValidity(t, module) })
}

// Any bytes have a fault, or answer.
func FuzzLoad(f *testing.F) {
	addModules(f)
	l := sandbox.RoutingLayout(names)
	limits := few
	limits.ModuleBytes = 1 << 20
	f.Fuzz(func(t *testing.T, module []byte) {
		code, fault := Load(module, l, nil, limits)
		if fault != nil {
			return
		}
		p, fault := code.New(draws(0.5))
		if fault != nil {
			t.Fatalf("the second start has the fault %v", fault)
		}
		p.Run(routing(l, 3, 1), make([]float64, 2))
	})
}

func FuzzRandomModules(f *testing.F) {
	f.Add(int64(1))
	f.Fuzz(func(t *testing.T, seed int64) {
		checkSameResults(t, seed)
		checkSameBits(t, seed)
	})
}

// checkChanged changes a byte of a random module. Where that is a module still, it ends, and
// the engines agree on it.
func checkChanged(t *testing.T, seed int64, at int, b byte) {
	module := randomModule(seed, true).Bytes()
	module[at%len(module)] = b
	checkValidity(t, module)
	rewritten, fault := rewrite(module, sandbox.DefaultLimits)
	if fault != nil || valid(rewritten) != nil || !bytes.Contains(rewritten, []byte("\x04main\x00\x03")) || !bytes.Contains(rewritten, []byte("\x06memory\x02\x00")) {
		return
	}
	if diff := cmp.Diff(outcomeOf(interpreter, rewritten), outcomeOf(compiler, rewritten)); diff != "" {
		t.Errorf("seed %d, byte %d is %d: the engines differ (-interpreter +compiler):\n%s", seed, at, b, diff)
	}
}

func FuzzChangedModules(f *testing.F) {
	f.Add(int64(1), uint16(100), byte(0x0b))
	f.Fuzz(func(t *testing.T, seed int64, at uint16, b byte) { checkChanged(t, seed, int(at), b) })
}

func TestChangedModules(t *testing.T) {
	stream := stats.NewStream(1, "test")
	for range 3 * randomSeeds() {
		checkChanged(t, int64(stream.IntN(50)), stream.IntN(1<<16), byte(stream.IntN(256)))
	}
}
