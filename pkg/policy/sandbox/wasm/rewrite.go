// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// What the rewriter exports. A module has no name of its own that begins so.
const (
	ours       = "windtunnel."
	stepsName  = ours + "steps"
	depthName  = ours + "depth"
	startName  = ours + "start"
	hostModule = "windtunnel"
	drawName   = "draw"
)

// header is what each module begins with.
var header = []byte("\x00asm\x01\x00\x00\x00")

// The sections of a module.
const (
	customSection = iota
	typeSection
	importSection
	functionSection
	tableSection
	memorySection
	globalSection
	exportSection
	startSection
	elementSection
	codeSection
	dataSection
	dataCountSection
	tagSection
)

// order is that of the sections in a module.
var order = []byte{
	typeSection, importSection, functionSection, tableSection, memorySection, globalSection,
	exportSection, startSection, elementSection, dataCountSection, codeSection, dataSection,
}

// A rewriter holds what the sections say that it has read.
type rewriter struct {
	limits sandbox.Limits

	types     []signature
	functions []int // the type of each function, imported ones included
	imports   int   // how many of them are imported
	globals   int
	locals    uint32 // of all functions, and jumps alike
	jumps     int
	start     int // the start function; -1 for none
}

// rewrite returns the module with a budget, bounds and canonical NaNs. The new module is
// valid if and only if the old one is, for what is not refused.
func rewrite(module []byte, limits sandbox.Limits) ([]byte, *policy.Fault) {
	r := &reader{raw: module}
	sections := r.sections()
	if r.fault != nil {
		return nil, r.fault
	}
	w := &rewriter{limits: limits, start: -1}
	out := slices.Clone(header)
	for _, id := range order {
		s := sections[id]
		if s == nil {
			if id != globalSection && id != exportSection {
				continue
			}
			s = &reader{raw: []byte{0}}
		}
		if id == exportSection && sections[startSection] != nil {
			w.readStart(sections[startSection])
			if f := sections[startSection].fault; f != nil {
				return nil, f
			}
		}
		body := w.section(id, s)
		if s.fault != nil {
			return nil, s.fault
		}
		if id == startSection {
			continue // it is exported
		}
		out = append(appendU32(append(out, id), uint32(len(body))), body...)
	}
	if len(w.functions) > w.imports && sections[codeSection] == nil {
		r.invalid("the functions have no code")
		return nil, r.fault
	}
	return out, nil
}

// sections splits the module. Custom sections mean nothing to the machine and are left out.
func (r *reader) sections() [dataCountSection + 1]*reader {
	var sections [dataCountSection + 1]*reader
	if !bytes.Equal(r.bytes(min(uint32(len(header)), uint32(len(r.raw)))), header) {
		r.at = 0
		r.invalid("it is no WebAssembly module of version 1")
	}
	last := -1
	for r.more() {
		id := r.byte()
		s := r.part(r.u32())
		if r.fault != nil || id == customSection {
			continue
		}
		place := bytes.IndexByte(order, id)
		switch {
		case id == tagSection:
			r.refuse("exceptions")
		case place < 0:
			r.invalid("there is no section %d", id)
		case place <= last:
			r.invalid("section %d is not in its place", id)
		default:
			sections[id], last = s, place
		}
	}
	return sections
}

// section returns the new body of a section.
func (w *rewriter) section(id byte, s *reader) []byte {
	switch id {
	case typeSection:
		w.readTypes(s)
	case importSection:
		w.readImports(s)
	case functionSection:
		w.readFunctions(s)
	case tableSection:
		return w.tables(s)
	case memorySection:
		return w.memories(s)
	case globalSection:
		return w.withGlobals(s)
	case exportSection:
		return w.withExports(s)
	case codeSection:
		return w.code(s)
	}
	return s.raw
}

// withGlobals adds the counter of steps and that of the depth of calls.
func (w *rewriter) withGlobals(s *reader) []byte {
	w.globals = s.count()
	at := s.at
	for range w.globals {
		s.value()
		if s.byte() > 1 {
			s.invalid("a global is neither constant nor mutable")
		}
		for s.fault == nil && s.instruction().op != opEnd {
		}
	}
	s.end()
	out := append(appendU32(nil, uint32(w.globals)+2), s.raw[min(at, len(s.raw)):]...)
	for _, first := range []uint64{w.limits.CallSteps, 0} {
		out = append(out, i64Type, 1, opI64Const)
		out = append(appendS64(out, int64(min(first, math.MaxInt64))), opEnd)
	}
	return out
}

func (w *rewriter) readStart(s *reader) {
	w.start = s.index(len(w.functions), "function")
	s.end()
	if s.fault == nil && w.types[w.functions[w.start]] != (signature{}) {
		s.invalid("the start function has parameters or results")
	}
}

// The kinds of exports.
const (
	functionExport = 0
	globalExport   = 3
	tagExport      = 4
)

// withExports adds what the host needs of the rewritten module.
func (w *rewriter) withExports(s *reader) []byte {
	n := s.count()
	at := s.at
	for range n {
		if name := s.name(); strings.HasPrefix(name, ours) {
			s.fail(policy.TypeFault, "the name of the export %s begins with %s", name, ours)
		}
		switch kind := s.byte(); kind {
		case globalExport:
			s.index(w.globals, "global")
		case tagExport:
			s.refuse("exceptions")
		default:
			s.u32()
		}
	}
	s.end()
	export := func(out []byte, name string, kind byte, index int) []byte {
		n++
		out = append(appendU32(out, uint32(len(name))), name...)
		return appendU32(append(out, kind), uint32(index))
	}
	out := slices.Clone(s.raw[min(at, len(s.raw)):])
	out = export(out, stepsName, globalExport, w.globals)
	out = export(out, depthName, globalExport, w.globals+1)
	if w.start >= 0 {
		out = export(out, startName, functionExport, w.start)
	}
	return append(appendU32(nil, uint32(n)), out...)
}
