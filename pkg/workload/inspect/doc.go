// SPDX-License-Identifier: Apache-2.0

// Package inspect describes a recorded trace: its rates over time, its lengths, what caches
// of each size would serve of it, and what is odd about it.
//
// [Trace] makes an [Inspection], whose JSON states the unit of each figure in its name.
package inspect
