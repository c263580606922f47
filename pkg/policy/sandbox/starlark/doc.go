// SPDX-License-Identifier: Apache-2.0

// Package starlark runs policies that are written in Starlark, a small dialect of Python
// (go.starlark.net, https://github.com/bazelbuild/starlark). A program has one function of
// the component's name, whose arguments are records with the fields of the layout:
//
//	def score(request, endpoints):
//	    return [parameters.prefix * e.prefix_affinity - e.waiting for e in endpoints]
//
// Beside the language it has the names math, parameters and draw: numbers that the user
// states, and a function without arguments that gives a number from 0 to below 1. There is
// no while, no recursion, no load and no clock. What the top level makes is frozen before
// the first call, so no call leaves anything for the next one.
//
// Steps are those of the interpreter, and built-in functions that work through a list add
// one for each element. Operators and methods that make long texts, long lists and large
// numbers cost one step: only a limit of the process bounds their memory and time.
package starlark
