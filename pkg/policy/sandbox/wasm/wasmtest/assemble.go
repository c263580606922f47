// SPDX-License-Identifier: Apache-2.0

package wasmtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// numeric are the instructions without anything that belongs to them, from 0x45 on.
var numeric = strings.Fields(`
i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
f32.eq f32.ne f32.lt f32.gt f32.le f32.ge
f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u
i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u
i64.and i64.or i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt
f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign
f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt
f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign
i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u
i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u
f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u f32.demote_f64
f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32
i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64
i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s`)

// others are further instructions, with what belongs to them: a type of a block, indices,
// an offset after an alignment, bytes that are 0, a number, or the labels of a table.
var others = map[string]struct{ code, with string }{
	"unreachable": {"\x00", ""}, "nop": {"\x01", ""}, "block": {"\x02", "t"}, "loop": {"\x03", "t"}, "if": {"\x04", "t"},
	"else": {"\x05", ""}, "end": {"\x0b", ""}, "br": {"\x0c", "i"}, "br_if": {"\x0d", "i"}, "br_table": {"\x0e", "l"}, "return": {"\x0f", ""},
	"call": {"\x10", "i"}, "call_indirect": {"\x11", "i0"}, "drop": {"\x1a", ""}, "select": {"\x1b", ""},
	"local.get": {"\x20", "i"}, "local.set": {"\x21", "i"}, "local.tee": {"\x22", "i"}, "global.get": {"\x23", "i"}, "global.set": {"\x24", "i"},
	"i32.load": {"\x28", "o"}, "i64.load": {"\x29", "o"}, "f32.load": {"\x2a", "o"}, "f64.load": {"\x2b", "o"}, "i32.load8_u": {"\x2d", "o"},
	"i32.store": {"\x36", "o"}, "i64.store": {"\x37", "o"}, "f32.store": {"\x38", "o"}, "f64.store": {"\x39", "o"}, "i32.store8": {"\x3a", "o"},
	"memory.size": {"\x3f", "0"}, "memory.grow": {"\x40", "0"},
	"i32.const": {"\x41", "n"}, "i64.const": {"\x42", "n"}, "f32.const": {"\x43", "f"}, "f64.const": {"\x44", "d"},
	"i32.trunc_sat_f64_s": {"\xfc\x02", ""}, "i64.trunc_sat_f64_s": {"\xfc\x06", ""},
	"memory.init": {"\xfc\x08", "i0"}, "data.drop": {"\xfc\x09", "i"}, "table.copy": {"\xfc\x0e", "00"}, "memory.copy": {"\xfc\x0a", "00"}, "memory.fill": {"\xfc\x0b", "0"},
}

// Assemble is code of instructions by name, with what belongs to each after it. A token
// 0xNN is that byte. It panics where there is no instruction.
func Assemble(source string) []byte {
	a := &assembler{tokens: strings.Fields(source)}
	for len(a.tokens) > 0 {
		a.instruction(a.next())
	}
	return a.out
}

type assembler struct {
	tokens []string
	out    []byte
}

func (a *assembler) next() string {
	if len(a.tokens) == 0 {
		panic("wasmtest: an instruction ends too early")
	}
	token := a.tokens[0]
	a.tokens = a.tokens[1:]
	return token
}

func (a *assembler) instruction(name string) {
	for i, known := range numeric {
		if name == known {
			a.out = append(a.out, byte(0x45+i))
			return
		}
	}
	if strings.HasPrefix(name, "0x") {
		a.out = append(a.out, byte(must(strconv.ParseUint(name[2:], 16, 8))))
		return
	}
	op, ok := others[name]
	if !ok {
		panic(fmt.Sprintf("wasmtest: no instruction %q", name))
	}
	a.out = append(a.out, op.code...)
	for _, kind := range op.with {
		a.operand(kind)
	}
}

func (a *assembler) operand(kind rune) {
	switch kind {
	case 't':
		a.blockType(a.next())
	case 'i':
		a.index()
	case 'o':
		a.out = append(a.out, 0)
		a.index()
	case '0':
		a.out = append(a.out, 0)
	case 'n':
		a.out = signed(a.out, must(strconv.ParseInt(a.next(), 0, 64)))
	case 'f':
		a.out = binary.LittleEndian.AppendUint32(a.out, math.Float32bits(float32(must(strconv.ParseFloat(a.next(), 32)))))
	case 'd':
		a.out = binary.LittleEndian.AppendUint64(a.out, math.Float64bits(must(strconv.ParseFloat(a.next(), 64))))
	case 'l':
		n := must(strconv.ParseUint(a.next(), 10, 32))
		a.out = number(a.out, uint32(n))
		for range n + 1 {
			a.index()
		}
	}
}

func (a *assembler) index() {
	a.out = number(a.out, uint32(must(strconv.ParseUint(a.next(), 10, 32))))
}

func (a *assembler) blockType(name string) {
	switch t, ok := typeNames[name]; {
	case name == "void":
		a.out = append(a.out, 0x40)
	case ok:
		a.out = append(a.out, t)
	default:
		a.out = signed(a.out, must(strconv.ParseInt(name, 10, 32)))
	}
}

// signed writes a signed number in LEB128.
func signed(out []byte, x int64) []byte {
	for x < -0x40 || x > 0x3f {
		out = append(out, byte(x)|0x80)
		x >>= 7
	}
	return append(out, byte(x)&0x7f)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic("wasmtest: " + err.Error())
	}
	return x
}
