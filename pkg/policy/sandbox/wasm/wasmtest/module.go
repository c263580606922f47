// SPDX-License-Identifier: Apache-2.0

// Package wasmtest assembles WebAssembly modules for tests. It does not check them: tests
// want modules that are not valid, too.
package wasmtest

import (
	"encoding/binary"
	"strings"
)

// A Module is one with at most one memory and one table.
type Module struct {
	Imports   []Import
	Functions []Function
	// Table has the numbers of functions.
	Table []int
	// Pages is the least size of the memory, and MaxPages the greatest one; 0 is none. A
	// module with NoMemory has none.
	Pages, MaxPages uint32
	NoMemory        bool
	// Globals are mutable.
	Globals []Global
	// Start is the number of the start function plus 1; 0 for none.
	Start int
	// Data is at the address 0. Passive is data that memory.init copies, without Data.
	Data, Passive string
	// Exports are in addition to those of the functions and of the memory.
	Exports []Export
}

// An Import is one of a function.
type Import struct{ Module, Name, Params, Results string }

// A Function has the number of its place, after those of the imports, which is that of its
// type, too.
type Function struct {
	// Export is the name for others; empty for none.
	Export string
	// Params, Results and Locals are names of types with spaces between them.
	Params, Results, Locals string
	// Body is as in [Assemble], without the last end.
	Body string
}

// A Global begins as Value says, an instruction as in [Assemble].
type Global struct{ Type, Value string }

// An Export gives something by number a name. Kind is 0 for a function, 1 for a table, 2
// for a memory and 3 for a global.
type Export struct {
	Name  string
	Kind  byte
	Index uint32
}

// Bytes is the module in binary form.
func (m *Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for id, s := range [][]byte{1: m.types(), 2: m.imports(), 3: m.functions(), 4: m.table(), 5: m.memory(), 6: m.globals(), 7: m.exports()} {
		out = section(out, id, s)
	}
	if m.Start > 0 {
		out = section(out, 8, number(nil, uint32(m.Start-1)))
	}
	out = section(out, 9, m.elements())
	if m.Passive != "" {
		out = section(out, 12, []byte{1})
	}
	out = section(out, 10, m.code())
	return section(out, 11, m.data())
}

func section(out []byte, id int, body []byte) []byte {
	if body == nil {
		return out
	}
	return append(number(append(out, byte(id)), uint32(len(body))), body...)
}

func number(out []byte, x uint32) []byte { return binary.AppendUvarint(out, uint64(x)) }

func text(out []byte, s string) []byte { return append(number(out, uint32(len(s))), s...) }

// vector writes n things; nil for an empty list.
func vector(n int, write func(out []byte, i int) []byte) []byte {
	if n == 0 {
		return nil
	}
	out := number(nil, uint32(n))
	for i := range n {
		out = write(out, i)
	}
	return out
}

var typeNames = map[string]byte{"i32": 0x7f, "i64": 0x7e, "f32": 0x7d, "f64": 0x7c, "v128": 0x7b, "funcref": 0x70}

func values(out []byte, names string) []byte {
	all := strings.Fields(names)
	out = number(out, uint32(len(all)))
	for _, name := range all {
		out = append(out, typeNames[name])
	}
	return out
}

func (m *Module) types() []byte {
	return vector(len(m.Imports)+len(m.Functions), func(out []byte, i int) []byte {
		if i < len(m.Imports) {
			return values(values(append(out, 0x60), m.Imports[i].Params), m.Imports[i].Results)
		}
		f := &m.Functions[i-len(m.Imports)]
		return values(values(append(out, 0x60), f.Params), f.Results)
	})
}

func (m *Module) imports() []byte {
	return vector(len(m.Imports), func(out []byte, i int) []byte {
		return number(append(text(text(out, m.Imports[i].Module), m.Imports[i].Name), 0), uint32(i))
	})
}

func (m *Module) functions() []byte {
	return vector(len(m.Functions), func(out []byte, i int) []byte { return number(out, uint32(len(m.Imports)+i)) })
}

func (m *Module) table() []byte {
	if len(m.Table) == 0 {
		return nil
	}
	return number([]byte{1, 0x70, 0}, uint32(len(m.Table)))
}

func (m *Module) elements() []byte {
	if len(m.Table) == 0 {
		return nil
	}
	return append([]byte{1, 0, 0x41, 0, 0x0b}, vector(len(m.Table), func(out []byte, i int) []byte { return number(out, uint32(m.Table[i])) })...)
}

func (m *Module) memory() []byte {
	switch {
	case m.NoMemory:
		return nil
	case m.MaxPages > 0:
		return number(number([]byte{1, 1}, m.Pages), m.MaxPages)
	}
	return number([]byte{1, 0}, m.Pages)
}

func (m *Module) globals() []byte {
	return vector(len(m.Globals), func(out []byte, i int) []byte {
		g := &m.Globals[i]
		return append(append(append(out, typeNames[g.Type], 1), Assemble(g.Value)...), 0x0b)
	})
}

func (m *Module) exports() []byte {
	all := m.Exports
	if !m.NoMemory {
		all = append([]Export{{"memory", 2, 0}}, all...)
	}
	for i, f := range m.Functions {
		if f.Export != "" {
			all = append(all, Export{f.Export, 0, uint32(len(m.Imports) + i)})
		}
	}
	return vector(len(all), func(out []byte, i int) []byte {
		return number(append(text(out, all[i].Name), all[i].Kind), all[i].Index)
	})
}

func (m *Module) code() []byte {
	return vector(len(m.Functions), func(out []byte, i int) []byte {
		f := &m.Functions[i]
		names := strings.Fields(f.Locals)
		body := number(nil, uint32(len(names)))
		for _, name := range names {
			body = append(body, 1, typeNames[name])
		}
		body = append(append(body, Assemble(f.Body)...), 0x0b)
		return append(number(out, uint32(len(body))), body...)
	})
}

func (m *Module) data() []byte {
	switch {
	case m.Passive != "":
		return text([]byte{1, 1}, m.Passive)
	case m.Data == "":
		return nil
	}
	return text([]byte{1, 0, 0x41, 0, 0x0b}, m.Data)
}
