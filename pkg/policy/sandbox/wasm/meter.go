// SPDX-License-Identifier: Apache-2.0

package wasm

import "slices"

// A region is the code of a function, or that of a loop, without the loops in it. A
// program pays for all of its instructions when it enters it: a loop does so at each of its
// turns. No instruction runs unpaid, so each program ends.
type region int

// body is the rewritten code of one function.
type body struct {
	w       *rewriter
	r       *reader
	costs   []uint32 // by region
	blocks  []region // the region after the end of each block that is open
	now     region
	inserts []insert
	jumps   int    // what may make the machine go elsewhere
	scratch uint32 // the first of the locals that are added
	nan     int    // the instruction whose NaN is not canonical yet; 0 for none
}

// insert is code at a place of the old code: code, or that which pays for a region.
type insert struct {
	at   int
	code []byte
	pays region
}

// noRegion is where an insert has code.
const noRegion = region(-1)

// code rewrites the bodies of all functions.
func (w *rewriter) code(s *reader) []byte {
	n := s.count()
	if n != len(w.functions)-w.imports {
		s.invalid("there are %d functions with %d bodies", len(w.functions)-w.imports, n)
	}
	out := appendU32(nil, uint32(n))
	for i := 0; i < n && s.fault == nil; i++ {
		size := s.u32()
		if size > maxBody {
			s.invalid("a function has %d bytes, and may have %d", size, maxBody)
		}
		r := s.part(size)
		b := &body{w: w, r: r}
		code := b.rewrite(uint32(len(w.types[w.functions[w.imports+i]].params)))
		s.fault = r.fault
		out = append(appendU32(out, uint32(len(code))), code...)
	}
	s.end()
	return out
}

func (b *body) rewrite(params uint32) []byte {
	out, locals := b.locals()
	b.scratch = params + locals
	b.enter(1 + params + locals) // a frame costs as much as it is large
	b.blocks = append(b.blocks, noRegion)
	first := b.r.at
	for len(b.blocks) > 0 && b.r.fault == nil {
		b.instruction()
	}
	b.r.end()
	if b.r.fault != nil {
		return nil
	}
	return b.assemble(out, first)
}

// locals copies the declarations of locals, counts them, and adds one of each kind of
// number that inserts need.
func (b *body) locals() (out []byte, locals uint32) {
	n := b.r.count()
	at := b.r.at
	for range n {
		more := b.r.u32()
		if more > maxLocals || locals+more > maxLocals {
			b.r.invalid("a function has more than %d locals", maxLocals)
			return nil, 0
		}
		locals += more
		b.r.value()
	}
	if b.w.locals += locals; b.w.locals > maxAllLocals {
		b.r.invalid("all functions have more than %d locals", maxAllLocals)
	}
	if b.r.fault != nil {
		return nil, 0
	}
	out = append(appendU32(nil, uint32(n)+3), b.r.raw[at:b.r.at]...)
	return append(out, 1, i32Type, 1, f32Type, 1, f64Type), locals
}

// enter begins a region, which is paid for here.
func (b *body) enter(cost uint32) {
	b.now = region(len(b.costs))
	b.costs = append(b.costs, cost)
	b.inserts = append(b.inserts, insert{at: b.r.at, pays: b.now})
}

func (b *body) insert(at int, code ...byte) {
	b.inserts = append(b.inserts, insert{at, code, noRegion})
}

func (b *body) instruction() {
	at := b.r.at
	in := b.r.instruction()
	if b.nan != 0 && !hidesNaN(in.op) {
		b.insert(at, b.canonical(makesDouble(b.nan))...)
	}
	b.nan = 0
	if makesNaN(in.op) {
		b.nan = in.op
	}
	b.costs[b.now]++
	b.countJumps(in)
	switch in.op {
	case opBlock, opIf, opLoop:
		if len(b.blocks) > maxNesting {
			b.r.invalid("blocks nest more than %d deep", maxNesting)
		}
		b.blocks = append(b.blocks, b.now)
		if in.op == opLoop {
			b.enter(0)
		}
	case opEnd:
		b.now = b.blocks[len(b.blocks)-1]
		b.blocks = b.blocks[:len(b.blocks)-1]
	case opCall, opCallIndirect:
		b.insert(at, b.w.addDepth(1)...)
		b.insert(b.r.at, b.w.addDepth(-1)...)
	case opGlobalGet, opGlobalSet:
		b.own(in.index, uint32(b.w.globals), "global")
	case opLocalGet, opLocalSet, opLocalTee:
		b.own(in.index, b.scratch, "local")
	case opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy:
		b.insert(at, b.payForLength()...)
	}
}

// countJumps bounds the jumps: compiling takes time by the square of those of a function.
func (b *body) countJumps(in instruction) {
	n := 0
	switch in.op {
	case opBlock, opLoop, opIf, opBr, opBrIf, opReturn, opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy:
		n = 1
	case opBrTable:
		n = int(in.index)
	}
	b.jumps += n
	b.w.jumps += n
	if b.jumps > maxJumps || b.w.jumps > maxAllJumps {
		b.r.invalid("a function has more than %d jumps, or all have more than %d", maxJumps, maxAllJumps)
	}
}

// own makes sure that something is the module's own, and not added here.
func (b *body) own(index, n uint32, what string) {
	if index >= n {
		b.r.invalid("there is no %s %d", what, index)
	}
}

// assemble writes the old code from first on with the inserts.
func (b *body) assemble(out []byte, first int) []byte {
	for _, x := range b.inserts {
		out = append(out, b.r.raw[first:x.at]...)
		first = x.at
		switch price := x.pays; price {
		case noRegion:
			out = append(out, x.code...)
		case 0: // the function
			out = append(out, b.w.pay(b.price(price), b.w.tooDeep())...)
		default:
			out = append(out, b.w.pay(b.price(price), nil)...)
		}
	}
	return append(out, b.r.raw[first:]...)
}

// of is an instruction on something by number.
func of(op byte, index uint32) []byte { return appendU32([]byte{op}, index) }

// price is code that leaves the cost of a region.
func (b *body) price(of region) []byte { return appendS64([]byte{opI64Const}, int64(b.costs[of])) }

// pay takes the steps that the code price leaves on the stack from the counter. The program
// ends where it has no more of them, or where the code other changes a 0 into a 1.
func (w *rewriter) pay(price, other []byte) []byte {
	steps := uint32(w.globals)
	return slices.Concat(
		of(opGlobalGet, steps), price, []byte{opI64Sub}, of(opGlobalSet, steps),
		of(opGlobalGet, steps), []byte{opI64Const, 0, opI64LtS}, other,
		[]byte{opIf, emptyBlock, opUnreachable, opEnd},
	)
}

// tooDeep is code that changes a 0 into a 1 where calls nest too deep.
func (w *rewriter) tooDeep() []byte {
	depth := uint32(w.globals) + 1
	return slices.Concat(of(opGlobalGet, depth), appendS64([]byte{opI64Const}, maxDepth), []byte{opI64GtS, opI32Or})
}

// addDepth counts a call that begins with 1, and one that ended with -1.
func (w *rewriter) addDepth(change int64) []byte {
	depth := uint32(w.globals) + 1
	return slices.Concat(of(opGlobalGet, depth), appendS64([]byte{opI64Const}, change), []byte{opI64Add}, of(opGlobalSet, depth))
}

// payForLength pays for work on as many bytes or elements as the top of the stack says: a
// step for eight of them.
func (b *body) payForLength() []byte {
	price := append(of(opLocalGet, b.scratch), opI64ExtendU, opI64Const, 3, opI64ShrU)
	return slices.Concat(of(opLocalTee, b.scratch), b.w.pay(price, nil))
}

// canonical makes the one positive NaN without payload of any NaN on the stack.
func (b *body) canonical(double bool) []byte {
	local, nan, equal := b.scratch+1, []byte{opF32Const, 0, 0, 0xc0, 0x7f}, byte(opF32Eq)
	if double {
		local, nan, equal = b.scratch+2, []byte{opF64Const, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, opF64Eq
	}
	return slices.Concat(of(opLocalTee, local), nan, of(opLocalGet, local), of(opLocalGet, local), []byte{equal, opSelect})
}
