// SPDX-License-Identifier: Apache-2.0

// Package benchmark reads and writes Benchmark Reports of llm-d-benchmark, version 0.2.
//
// The types of [Report] are those of the schema. Their tags state what the schema says of
// a field, and what it does not say: the units. [Read] is strict: a version that it does
// not know, an unknown field, a unit of another field and a number that is none are
// errors with paths. [Report.Encode] writes equal reports as equal bytes: fields in the
// order of the types, keys of free parts sorted, and each number so that YAML 1.1 reads
// it as a number.
//
// [Summary] sums up the requests of simulations, and [New] makes the report of one
// candidate.
package benchmark
