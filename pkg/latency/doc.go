// SPDX-License-Identifier: Apache-2.0

// Package latency says how long an engine step takes and how many KV blocks a
// replica has, from a catalogue of models and accelerators. A step is described
// by a few exact integer sums over its sequences, so that a step time costs the
// same whatever the batch. The package does not know where requests come from.
//
// Start at Step and StepTimer; Roofline and Linear are the models, LookupModel
// and LookupAccelerator the catalogue, KVBlocks the capacity.
package latency
