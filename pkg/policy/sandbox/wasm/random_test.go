// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A generator writes random modules that end. Function i calls only those before it, and
// each loop counts down a local of its own.
//
// Each function has a parameter of each type, the locals 0 to 3, a local of each type, 4 to
// 7, and counters of loops, 8 to 10.
type generator struct {
	stream *stats.Stream
	// bits lets the module look at the bits of NaNs, which the language leaves open.
	bits  bool
	now   int // the function
	loops int // that are open
}

var (
	generated = []string{"i32", "i64", "f32", "f64"}
	allTypes  = "i32 i64 f32 f64"
)

// randomModule exports its last function as main.
func randomModule(seed int64, bits bool) *wasmtest.Module {
	g := &generator{stream: stats.NewStream(seed, "test"), bits: bits}
	m := &wasmtest.Module{
		Pages: 1, MaxPages: 3, Table: []int{0, 0, 1, 9},
		Globals: []wasmtest.Global{{Type: "i32", Value: "i32.const 5"}, {Type: "i64", Value: "i64.const -5"}},
		Data:    "some bytes of memory",
	}
	for g.now = range 4 {
		m.Functions = append(m.Functions, wasmtest.Function{Params: allTypes, Results: "f64", Locals: allTypes + " i32 i32 i32", Body: g.body()})
	}
	m.Table[3] = 2
	m.Functions[3].Export = "main"
	return m
}

func (g *generator) body() string {
	var b strings.Builder
	for range 1 + g.stream.IntN(6) {
		b.WriteString(g.statement(3))
	}
	return b.String() + g.value("f64", 4)
}

// pick returns one of several texts.
func (g *generator) pick(texts ...string) string { return texts[g.stream.IntN(len(texts))] }

// statement leaves nothing.
func (g *generator) statement(depth int) string {
	kind := g.stream.IntN(len(generated))
	t := generated[kind]
	switch n := g.stream.IntN(12); {
	case depth == 0 || n < 4:
		return fmt.Sprintf("%s local.set %d ", g.value(t, depth), kind+4*g.stream.IntN(2))
	case n == 4:
		return g.value("i32", depth) + "global.set 0 "
	case n == 5:
		return g.value("i64", depth) + "global.set 1 "
	case n == 6:
		return fmt.Sprintf("%s if void %s else %s end ", g.value("i32", depth-1), g.statement(depth-1), g.statement(depth-1))
	case n == 7 && g.loops < 3:
		return g.loop(depth)
	case n == 8:
		return fmt.Sprintf("block void %s br_if 0 %s end ", g.value("i32", depth-1), g.statement(depth-1))
	case n == 9:
		return fmt.Sprintf("%s i32.const 255 i32.and i32.const 7 %s i32.const 63 i32.and memory.fill ", g.value("i32", depth-1), g.value("i32", depth-1))
	case n == 10:
		return "i32.const 1 memory.grow drop "
	default:
		if (t == "f32" || t == "f64") && !g.bits {
			t = "i64"
		}
		return fmt.Sprintf("%s %s %s.store %d ", g.address(depth), g.value(t, depth), t, g.stream.IntN(99))
	}
}

// loop turns a few times.
func (g *generator) loop(depth int) string {
	counter := 8 + g.loops
	g.loops++
	body := g.statement(depth-1) + g.statement(depth-1)
	g.loops--
	return fmt.Sprintf("i32.const %d local.set %d loop void %s local.get %d i32.const 1 i32.sub local.tee %d br_if 0 end ", 1+g.stream.IntN(4), counter, body, counter, counter)
}

// address is mostly one in the memory.
func (g *generator) address(depth int) string {
	if g.stream.IntN(200) == 0 {
		return g.value("i32", depth)
	}
	return g.value("i32", depth-1) + "i32.const 1023 i32.and "
}

// value leaves a value of a type.
func (g *generator) value(t string, depth int) string {
	kind := strings.Index(allTypes, t) / 4
	if depth <= 0 {
		return g.leaf(t, kind)
	}
	depth--
	switch g.stream.IntN(10) {
	case 0:
		return g.leaf(t, kind)
	case 1:
		return fmt.Sprintf("%s %s %s select ", g.value(t, depth), g.value(t, depth), g.value("i32", depth))
	case 2:
		return fmt.Sprintf("%s if %s %s else %s end ", g.value("i32", depth), t, g.value(t, depth), g.value(t, depth))
	case 3:
		return fmt.Sprintf("%s %s.load %d ", g.address(depth), t, g.stream.IntN(99))
	case 4:
		return g.call(t, depth)
	default:
		return g.operation(t, depth)
	}
}

func (g *generator) leaf(t string, kind int) string {
	if g.stream.IntN(2) == 0 {
		return fmt.Sprintf("local.get %d ", kind+4*g.stream.IntN(2))
	}
	if t == "i32" || t == "i64" {
		return t + ".const " + g.pick("0", "1", "-1", "7", "100", "0x7fffffff", "-0x80000000") + " "
	}
	return t + ".const " + g.pick("0", "1", "-1", "0.5", "1e30", "-inf", "inf", "nan", "-1e-30") + " "
}

// call is one of a function before this one.
func (g *generator) call(t string, depth int) string {
	if g.now == 0 || g.loops > 1 {
		return g.operation(t, depth)
	}
	text := g.value("i32", depth-2) + g.value("i64", depth-2) + g.value("f32", depth-2) + g.value("f64", depth-2)
	if g.now == 3 && g.stream.IntN(2) == 0 {
		text += fmt.Sprintf("i32.const %d call_indirect 0 ", g.stream.IntN(4))
	} else {
		text += fmt.Sprintf("call %d ", g.stream.IntN(g.now))
	}
	return text + map[string]string{"i32": "i32.trunc_sat_f64_s ", "i64": "i64.trunc_sat_f64_s ", "f32": "f32.demote_f64 ", "f64": ""}[t]
}

// operations are by the types of what they take, what they leave, and whether they show
// the bits of NaNs.
var operations = []struct {
	names, takes, leaves string
	bits                 bool
}{
	{"clz ctz popcnt extend8_s extend16_s", "i32", "i32", false},
	{"clz ctz popcnt extend8_s extend16_s extend32_s", "i64", "i64", false},
	{"add sub mul and or xor shl shr_s shr_u rotl rotr eq ne lt_s lt_u gt_s gt_u le_s ge_u", "i32 i32", "i32", false},
	{"add sub mul and or xor shl shr_s shr_u rotl rotr", "i64 i64", "i64", false},
	{"div_s div_u rem_s rem_u", "i32 i32", "i32", true}, // few of them, as most of them trap
	{"abs neg ceil floor trunc nearest sqrt", "f32", "f32", false},
	{"add sub mul div min max", "f32 f32", "f32", false},
	{"copysign", "f32 f32", "f32", true},
	{"abs neg ceil floor trunc nearest sqrt", "f64", "f64", false},
	{"add sub mul div min max", "f64 f64", "f64", false},
	{"copysign", "f64 f64", "f64", true},
	{"i32.wrap_i64", "i64", "i32", false},
	{"i32.reinterpret_f32", "f32", "i32", true},
	{"i64.extend_i32_s i64.extend_i32_u", "i32", "i64", false},
	{"i64.reinterpret_f64", "f64", "i64", true},
	{"i64.trunc_sat_f64_s", "f64", "i64", false},
	{"f32.convert_i32_s f32.convert_i32_u f32.reinterpret_i32", "i32", "f32", false},
	{"f32.convert_i64_s f32.convert_i64_u", "i64", "f32", false},
	{"f32.demote_f64", "f64", "f32", false},
	{"f64.convert_i32_s f64.convert_i32_u", "i32", "f64", false},
	{"f64.convert_i64_s f64.convert_i64_u f64.reinterpret_i64", "i64", "f64", false},
	{"f64.promote_f32", "f32", "f64", false},
}

func (g *generator) operation(t string, depth int) string {
	for {
		op := &operations[g.stream.IntN(len(operations))]
		if op.leaves != t || op.bits && !g.bits {
			continue
		}
		var b strings.Builder
		for _, taken := range strings.Fields(op.takes) {
			b.WriteString(g.value(taken, depth))
		}
		name := g.pick(strings.Fields(op.names)...)
		if !strings.Contains(name, ".") {
			name = t + "." + name
		}
		return b.String() + name + " "
	}
}
