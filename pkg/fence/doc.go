// SPDX-License-Identifier: Apache-2.0

// Package fence runs a simulation whose policy bundle has code in a child process of the same
// program, so that untrusted code can take neither the memory nor the time of
// the process that asks for it.
//
// The child gets the encoded plan on its standard input, and an open file for each trace. It
// answers with rows, documents and faults of the program on its standard output. Its
// environment has two variables of Go's runtime. On Linux the kernel bounds its memory, its
// CPU time and its files, and refuses it sockets and other programs; elsewhere only its wall
// time is bounded, which [Missing] says. A child that ends without an answer is a
// [policy.Fault] of the simulation.
//
// The steps of a program are counted inside, so that the same program ends at the same place
// on each machine. What the fence bounds depends on the machine: its limits are for what the
// counters do not see.
package fence
