// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// A reader reads a part of a module. After its first fault it reads nothing but zeros.
type reader struct {
	raw []byte
	at  int
	// base is the place of the part in the module.
	base  int
	fault *policy.Fault
}

func (r *reader) fail(kind policy.FaultKind, format string, values ...any) {
	if r.fault == nil {
		message := fmt.Sprintf("byte 0x%x: ", r.base+r.at) + fmt.Sprintf(format, values...)
		r.fault = &policy.Fault{Stage: policy.LoadStage, Kind: kind, Message: policy.Said(message)}
		r.at = len(r.raw)
	}
}

func (r *reader) invalid(format string, values ...any) { r.fail(policy.SyntaxFault, format, values...) }

// refuse says that a part of the language is left out.
func (r *reader) refuse(what string) { r.invalid("the module needs %s, which is not offered", what) }

// more reports whether there is more to read.
func (r *reader) more() bool { return r.at < len(r.raw) }

func (r *reader) byte() byte {
	if !r.more() {
		r.invalid("the module ends too early")
		return 0
	}
	r.at++
	return r.raw[r.at-1]
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.raw)-r.at) {
		r.invalid("the module ends too early")
		return nil
	}
	r.at += int(n)
	return r.raw[r.at-int(n) : r.at]
}

// part is a reader of the next bytes alone.
func (r *reader) part(n uint32) *reader {
	base := r.base + r.at
	return &reader{raw: r.bytes(n), base: base, fault: r.fault}
}

// u32 reads a number in LEB128, of at most 5 bytes.
func (r *reader) u32() uint32 {
	var x uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if x > 1<<32-1 {
				break
			}
			return uint32(x)
		}
	}
	r.invalid("a number has more than 32 bits")
	return 0
}

// skipNumber skips a number in LEB128 of at most the given number of bytes.
func (r *reader) skipNumber(most int) {
	for range most {
		if r.byte() < 0x80 {
			return
		}
	}
	r.invalid("a number is too long")
}

// count reads how many things follow, each of which takes a byte at least.
func (r *reader) count() int {
	n := r.u32()
	if uint64(n) > uint64(len(r.raw)-r.at) {
		r.invalid("the module ends too early")
		return 0
	}
	return int(n)
}

// index reads the number of one of n things.
func (r *reader) index(n int, what string) int {
	i := r.u32()
	if r.fault == nil && uint64(i) >= uint64(n) {
		r.invalid("there is no %s %d", what, i)
	}
	if r.fault != nil {
		return 0
	}
	return int(i)
}

func (r *reader) name() string { return string(r.bytes(r.u32())) }

// end makes sure that nothing follows.
func (r *reader) end() {
	if r.more() {
		r.invalid("the section is longer than what it holds")
	}
}

func appendU32(out []byte, x uint32) []byte {
	for x >= 0x80 {
		out = append(out, byte(x)|0x80)
		x >>= 7
	}
	return append(out, byte(x))
}

// appendS64 writes a signed number in LEB128.
func appendS64(out []byte, x int64) []byte {
	for x < -0x40 || x > 0x3f {
		out = append(out, byte(x)|0x80)
		x >>= 7
	}
	return append(out, byte(x)&0x7f)
}
