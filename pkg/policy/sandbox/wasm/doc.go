// SPDX-License-Identifier: Apache-2.0

// Package wasm runs policies that are WebAssembly modules, of any compiler that writes
// modules without imports. wazero compiles them (https://wazero.io).
//
// A module exports its memory and two functions, and the host works like this:
//
//	address = frame(bytes)     where the module wants the numbers; asked again for more
//	write at address           the scalars, the rows, and NaN for each answer, as f64
//	score(rows)                0 is success; admit, prioritize, rank or scale elsewhere
//	read after the rows        one answer for each row, or one
//
// docs/policy-abi.md has the places of all fields. The only import is windtunnel.draw,
// which gives a number from 0 to below 1. A start function and _initialize run first, and
// then set_NAME for each parameter of the user. A module keeps its memory and its globals
// for one simulation.
//
// # Steps
//
// The module is rewritten before it is compiled. Each function and each turn of a loop takes
// the number of its instructions, without those of inner loops, from a counter, and ends
// the program where there is nothing left. A frame also costs the number of its locals, and
// work on many bytes a step for eight of them. Calls nest at most 1000 deep: wazero's
// engines can nest them deeper, so none of them overflows its stack first.
//
// # Determinism
//
// The language leaves two things open: the bits of NaNs that operations on floats make, and
// when memory or the stack ends. Each such NaN is made the positive one without payload, as
// the deterministic profile of the language has it, where the next instruction could tell.
// Memory ends at its limit, and the stack does not end. So both engines of wazero, on each
// architecture, leave the same bits and count the same steps.
//
// SIMD, threads, exceptions, tail calls, references, garbage collection and several or
// large memories are refused.
package wasm
