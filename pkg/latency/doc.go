// SPDX-License-Identifier: Apache-2.0

// Package latency says how long an engine step takes and how many KV blocks a
// replica has, for a model in its formats on some accelerators. A step is
// described by a few exact integer sums over its sequences, so that a step time
// costs the same whatever the batch. The package does not know where requests
// come from.
//
// Start at Instance, what one replica runs, and at Step and StepTimer. There
// are four timers: Roofline, Physics, Linear and the one of a Table. Builtin is
// the catalogue of models and accelerators, which ParseEntries and
// ParseHuggingFace extend; Instance.KVBlocks is the capacity.
package latency
