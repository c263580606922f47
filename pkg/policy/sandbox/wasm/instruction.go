// SPDX-License-Identifier: Apache-2.0

package wasm

// Instructions that the rewriter knows or writes.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opTypedSelect  = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI32Load      = 0x28
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32Eqz       = 0x45
	opI64LtS       = 0x53
	opI64GtS       = 0x55
	opF32Eq        = 0x5b
	opF64Eq        = 0x61
	opF64Ge        = 0x66
	opI32Or        = 0x72
	opI64Add       = 0x7c
	opI64Sub       = 0x7d
	opI64ShrU      = 0x88
	opF32Ceil      = 0x8d
	opF32Max       = 0x97
	opF64Ceil      = 0x9b
	opF64Max       = 0xa5
	opI32TruncF32  = 0xa8
	opI32TruncF64U = 0xab
	opI64ExtendU   = 0xad
	opI64TruncF32  = 0xae
	opI64TruncF64U = 0xb1
	opF32Demote    = 0xb6
	opF64Promote   = 0xbb
	opI64Extend32S = 0xc4

	// bulk is where the instructions after the prefix 0xfc begin.
	bulk           = 0xfc00
	opTruncSat     = bulk
	opTruncSatLast = bulk + 7
	opMemoryInit   = bulk + 8
	opDataDrop     = bulk + 9
	opMemoryCopy   = bulk + 10
	opMemoryFill   = bulk + 11
	opTableInit    = bulk + 12
	opElemDrop     = bulk + 13
	opTableCopy    = bulk + 14

	emptyBlock = 0x40
)

// refused are the instructions of parts of the language that are left out.
var refused = map[byte]string{
	0x06: "exceptions", 0x07: "exceptions", 0x08: "exceptions", 0x09: "exceptions", 0x0a: "exceptions",
	0x18: "exceptions", 0x19: "exceptions", 0x1f: "exceptions",
	0x12: "tail calls", 0x13: "tail calls", 0x14: "references to functions", 0x15: "references to functions",
	0x25: "references", 0x26: "references", 0xd0: "references", 0xd1: "references", 0xd2: "references",
	0xd3: "references", 0xd4: "references", 0xd5: "references", 0xd6: "references",
	0xfb: "garbage collection", 0xfd: "SIMD", 0xfe: "threads",
}

// An instruction is an opcode and its first index, or how many labels a table has.
type instruction struct {
	op    int
	index uint32
}

// instruction reads one instruction with all that belongs to it.
func (r *reader) instruction() instruction {
	op := r.byte()
	in := instruction{op: int(op)}
	switch {
	case refused[op] != "":
		r.at--
		r.refuse(refused[op])
	case op == opBlock, op == opLoop, op == opIf:
		r.blockType()
	case op == opBr, op == opBrIf, op == opCall:
		in.index = r.u32()
	case op == opBrTable:
		in.index = uint32(r.count()) + 1
		for range in.index {
			r.u32()
		}
	case op == opCallIndirect:
		in.index = r.u32()
		r.u32()
	case op == opTypedSelect:
		r.values(1, "types in a choice")
	case op >= opLocalGet && op <= opGlobalSet:
		in.index = r.u32()
	case op >= opI32Load && op <= opI64Store32:
		if align := r.u32(); align >= 64 {
			r.refuse("several memories")
		}
		r.u32()
	case op == opMemorySize, op == opMemoryGrow:
		r.zero()
	case op == opI32Const:
		r.skipNumber(5)
	case op == opI64Const:
		r.skipNumber(10)
	case op == opF32Const:
		r.bytes(4)
	case op == opF64Const:
		r.bytes(8)
	case op == 0xfc:
		in.op = r.bulkInstruction()
	case op < opBlock, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, op >= opI32Eqz && op <= opI64Extend32S:
	default:
		r.at--
		r.invalid("there is no instruction 0x%02x", op)
	}
	return in
}

// bulkInstruction reads what follows the prefix 0xfc.
func (r *reader) bulkInstruction() int {
	sub := r.u32()
	if sub > 17 {
		r.invalid("there is no instruction 0xfc %d", sub)
		return opUnreachable
	}
	op := bulk + int(sub)
	switch {
	case op <= opTruncSatLast:
	case op == opMemoryInit:
		r.u32()
		r.zero()
	case op == opDataDrop, op == opElemDrop:
		r.u32()
	case op == opMemoryCopy:
		r.zero()
		r.zero()
	case op == opMemoryFill:
		r.zero()
	case op == opTableInit, op == opTableCopy:
		r.u32()
		r.u32()
	default:
		r.refuse("references")
	}
	return op
}

// zero reads the number of the only memory.
func (r *reader) zero() {
	if r.byte() != 0 {
		r.refuse("several memories")
	}
}

// blockType reads what a block takes and leaves: nothing, a value, or a type by number.
func (r *reader) blockType() {
	switch b := r.byte(); {
	case b == emptyBlock:
	case b&0xc0 == 0x40: // a negative number of one byte: the type of a value
		r.at--
		r.value()
	default:
		r.at--
		r.skipNumber(5)
	}
}

// makesNaN reports whether an instruction may make a NaN of bits that the language leaves
// open.
func makesNaN(op int) bool {
	return op >= opF32Ceil && op <= opF32Max || op >= opF64Ceil && op <= opF64Max || op == opF32Demote || op == opF64Promote
}

// makesDouble reports whether what it makes is an f64.
func makesDouble(op int) bool { return op >= opF64Ceil && op <= opF64Max || op == opF64Promote }

// hidesNaN reports whether no bit of a NaN on the stack counts for an instruction, which
// takes it from there.
func hidesNaN(op int) bool {
	return makesNaN(op) || op == opDrop || op >= opF32Eq && op <= opF64Ge ||
		op >= opI32TruncF32 && op <= opI32TruncF64U || op >= opI64TruncF32 && op <= opI64TruncF64U ||
		op >= opTruncSat && op <= opTruncSatLast
}
