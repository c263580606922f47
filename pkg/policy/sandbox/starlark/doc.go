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
// one for each element. Whole numbers have 4096 bits at most, and texts, lists and tuples
// 100,000 bytes or elements: operators, methods and functions that make them look before
// they do, and add a step for 16 bytes or elements. What compares or hashes values that
// hold each other many times costs one step: only a limit of the process bounds that.
package starlark
