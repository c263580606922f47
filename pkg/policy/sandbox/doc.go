// SPDX-License-Identifier: Apache-2.0

// Package sandbox lets untrusted programs decide. A program is a decision
// tree, or code of a language in a package below this one. It sees a [Frame] of numbers for
// each decision and answers with numbers: it has no clock, no files, no chance but that
// which it is given, and no way to learn the length of an answer.
//
// A program is called again and again in one run. Trees and Starlark keep nothing between
// two calls, so equal frames have equal answers; a WebAssembly module keeps its memory for
// one simulation, so equal sequences of frames have equal answers. Steps are bounded for
// each call and for a run. Only WebAssembly bounds memory, and nothing here bounds time: who
// runs programs of others runs the whole simulation in a process of its own with limits, as
// pkg/fence does.
package sandbox
