// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Precision is a format of numbers.
type Precision string

// BF16 stands for any 16-bit float. INT4 numbers come in groups of 128 that
// share a 16-bit scale, 4.125 bits each. The scales of FP8 and INT8 belong to
// channels, tensors or blocks of thousands, and are left out.
const (
	BF16 Precision = "bf16"
	FP8  Precision = "fp8"
	INT8 Precision = "int8"
	INT4 Precision = "int4"
)

var (
	storedFormats   = []Precision{BF16, FP8, INT8, INT4}
	computedFormats = []Precision{BF16, FP8, INT8}
)

const int4Group = 128

// weightBytes returns the size of one weight in bytes, exact in binary.
func (p Precision) weightBytes() float64 {
	switch p {
	case FP8, INT8:
		return 1
	case INT4:
		return 0.5 + 2./int4Group
	}
	return 2
}

// rowBytes returns the size of n numbers that lie together, the keys of a head
// for instance; an INT4 row has groups of its own.
func (p Precision) rowBytes(n int64) int64 {
	switch p {
	case FP8, INT8:
		return n
	case INT4:
		return (n+1)/2 + 2*((n+int4Group-1)/int4Group)
	}
	return 2 * n
}

// Quantization says in which formats a model is served. The zero value takes
// the weights as the model's entry says and keeps the rest in 16 bits.
//
// Embeddings, LM head, router and norms are 16-bit always, and attention
// computes in BF16 whatever the KV cache holds.
type Quantization struct {
	// Weights is the format of the layers' matrices, empty for that of the
	// model's entry.
	Weights Precision
	// KVCache is the format of keys and values, empty for BF16.
	KVCache Precision
	// Activations is the format that the layers' matrices are multiplied in,
	// and so the peak that they compute at. Empty means the format of the
	// weights where the accelerator computes in it, else BF16: FP8 weights on
	// an A100 are unpacked before they are multiplied, INT4 weights always.
	Activations Precision
}

// resolved returns what the quantization means for a model on an accelerator, with
// nothing left empty.
func (q Quantization) resolved(m Model, a Accelerator) Quantization {
	if q.Weights == "" {
		q.Weights = m.Weights
	}
	if q.Weights == "" {
		q.Weights = BF16
	}
	if q.KVCache == "" {
		q.KVCache = BF16
	}
	if q.Activations == "" {
		q.Activations = BF16
		if a.flopsPerSecond(q.Weights) > 0 {
			q.Activations = q.Weights
		}
	}
	return q
}

// validate reports formats that do not exist or that the accelerator does not
// compute in, as faults of weights, kvCache and activations under path.
func (q Quantization) validate(m Model, a Accelerator, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range []struct {
		name    string
		format  Precision
		allowed []Precision
	}{
		{"weights", q.Weights, storedFormats},
		{"kvCache", q.KVCache, storedFormats},
		{"activations", q.Activations, computedFormats},
	} {
		if f.format != "" && !slices.Contains(f.allowed, f.format) {
			errs = append(errs, field.NotSupported(path.Child(f.name), f.format, f.allowed))
		}
	}
	if len(errs) > 0 || q.Activations == "" {
		return errs
	}
	at, full := path.Child("activations"), q.resolved(m, a)
	switch {
	case q.Activations == BF16:
	case q.Activations != full.Weights:
		errs = append(errs, field.Invalid(at, q.Activations,
			"must be the format of the weights, "+string(full.Weights)+", or bf16"))
	case a.flopsPerSecond(q.Activations) <= 0:
		errs = append(errs, field.Invalid(at, q.Activations,
			a.Name+" does not compute in it; in bf16 it can serve weights stored in it"))
	}
	return errs
}
