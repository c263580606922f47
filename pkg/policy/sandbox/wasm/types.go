// SPDX-License-Identifier: Apache-2.0

package wasm

import "windtunnel.dev/windtunnel/pkg/policy"

// signature is a function's type: its values as bytes.
type signature struct{ params, results string }

func (w *rewriter) readTypes(s *reader) {
	for range s.count() {
		if form := s.byte(); form != 0x60 {
			s.refuse("garbage collection")
		}
		w.types = append(w.types, signature{s.values(maxParams, "parameters"), s.values(maxResults, "results")})
	}
	s.end()
}

// values reads the types of at most a number of values.
func (r *reader) values(most int, what string) string {
	n := r.count()
	if n > most {
		r.invalid("a function has %d %s, and may have %d", n, what, most)
	}
	at := r.at
	for range n {
		r.value()
	}
	if r.fault != nil {
		return ""
	}
	return string(r.raw[at:r.at])
}

// The types of values.
const (
	i32Type = 0x7f
	i64Type = 0x7e
	f32Type = 0x7d
	f64Type = 0x7c
)

// value reads the type of a value: one of the four kinds of numbers.
func (r *reader) value() {
	switch b := r.byte(); b {
	case i32Type, i64Type, f32Type, f64Type:
	case 0x7b:
		r.refuse("SIMD")
	case 0x70, 0x6f:
		r.refuse("references")
	default:
		r.invalid("0x%02x is no type of a number", b)
	}
}

func (w *rewriter) readImports(s *reader) {
	for range s.count() {
		module, name, kind := s.name(), s.name(), s.byte()
		if s.fault != nil {
			return
		}
		if module != hostModule || name != drawName || kind != 0 {
			s.fail(policy.TypeFault, "the import %s.%s is not there: the only one is the function %s.%s", module, name, hostModule, drawName)
			return
		}
		t := s.index(len(w.types), "type")
		if s.fault == nil && w.types[t] != (signature{results: "\x7c"}) {
			s.fail(policy.TypeFault, "the import %s.%s is a function without parameters whose result is an f64", module, name)
		}
		w.functions = append(w.functions, t)
	}
	w.imports = len(w.functions)
	s.end()
}

func (w *rewriter) readFunctions(s *reader) {
	n := s.count()
	if n > maxFunctions {
		s.invalid("the module has %d functions, and may have %d", n, maxFunctions)
	}
	for range n {
		w.functions = append(w.functions, s.index(len(w.types), "type"))
	}
	s.end()
}
