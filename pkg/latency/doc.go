// SPDX-License-Identifier: Apache-2.0

// Package latency computes the duration of an engine step and the number of KV blocks
// of a replica, for a model, its number formats and its accelerators. It does not know
// where requests come from.
//
// A few exact integer sums over the sequences of a step describe the step, so the cost
// of computing a step time does not depend on the batch. There are four timers:
// Roofline, Physics, Linear and the timer of a Table. Builtin is the catalogue of models
// and accelerators, which ParseEntries and ParseHuggingFace extend; Instance.KVBlocks is
// the capacity.
//
// Start at Instance, Step and StepTimer.
package latency
