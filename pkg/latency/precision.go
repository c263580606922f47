// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Precision is a format of numbers.
type Precision string

// BF16 stands for any 16-bit float. Formats of 4 bits have groups that share a
// scale: INT4 128 numbers and 16 bits (4.125 bits each), INT4Group32 32 and 16
// (4.5), NVFP4 16 and 8 (4.5), MXFP4 32 and 8 (4.25). The scales of FP8 and INT8,
// and the second ones of NVFP4, belong to channels, tensors or blocks of
// thousands, and are left out.
const (
	BF16        Precision = "bf16"
	FP8         Precision = "fp8"
	INT8        Precision = "int8"
	INT4        Precision = "int4"
	INT4Group32 Precision = "int4-g32"
	NVFP4       Precision = "nvfp4"
	MXFP4       Precision = "mxfp4"
)

var (
	weightFormats   = []Precision{BF16, FP8, INT8, INT4, INT4Group32, NVFP4, MXFP4}
	kvFormats       = []Precision{BF16, FP8, INT8, INT4}
	computedFormats = []Precision{BF16, FP8, INT8, NVFP4, MXFP4}
)

const int4Group = 128

// weightBytes returns the size of one weight in bytes, exact in binary.
func (p Precision) weightBytes() float64 {
	switch p {
	case FP8, INT8:
		return 1
	case INT4:
		return 0.5 + 2./int4Group
	case INT4Group32:
		return 0.5 + 2./32
	case NVFP4:
		return 0.5 + 1./16
	case MXFP4:
		return 0.5 + 1./32
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
	// Weights is the format of the layers' matrices, experts included. Empty
	// means those of the model's entry, which may have one of its own for experts.
	Weights Precision
	// KVCache is the format of keys and values, empty for BF16.
	KVCache Precision
	// Activations is the format that the layers' matrices are multiplied in,
	// and so the peak that they compute at. Empty means the format of the
	// weights where the accelerator computes in it, else BF16: FP8 weights on
	// an A100 and NVFP4 weights on an H100 are unpacked before they are
	// multiplied, INT4 weights always, and MXFP4 weights unless Activations says
	// otherwise, as vLLM does (its select_mxfp4_moe_backend takes kernels with 8-bit
	// activations only if an environment variable asks for them). Where layers and experts have formats of their own,
	// it holds for those that it can multiply.
	Activations Precision
}

// resolved returns what the quantization means for a model's layers on an
// accelerator, with nothing left empty.
func (q Quantization) resolved(m Model, a Accelerator) Quantization { return q.of(m.Weights, a) }

// ofExperts returns the same for the experts.
func (q Quantization) ofExperts(m Model, a Accelerator) Quantization {
	if m.MoE != nil && m.MoE.Weights != "" {
		return q.of(m.MoE.Weights, a)
	}
	return q.of(m.Weights, a)
}

// of returns what the quantization means for matrices that are published in a
// format, on an accelerator.
func (q Quantization) of(published Precision, a Accelerator) Quantization {
	q.Weights = cmp.Or(q.Weights, published, BF16)
	q.KVCache = cmp.Or(q.KVCache, BF16)
	if q.Activations != "" && a.multiplies(q.Weights, q.Activations) {
		return q
	}
	q.Activations = BF16
	if q.Weights != MXFP4 && a.multiplies(q.Weights, q.Weights) {
		q.Activations = q.Weights
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
		{"weights", q.Weights, weightFormats},
		{"kvCache", q.KVCache, kvFormats},
		{"activations", q.Activations, computedFormats},
	} {
		if f.format != "" && !slices.Contains(f.allowed, f.format) {
			errs = append(errs, field.NotSupported(path.Child(f.name), f.format, f.allowed))
		}
	}
	if len(errs) > 0 || q.Activations == "" {
		return errs
	}
	at, layers, experts := path.Child("activations"), q.resolved(m, a).Weights, q.ofExperts(m, a).Weights
	switch {
	case a.multiplies(layers, q.Activations) || a.multiplies(experts, q.Activations):
	case q.Activations == layers || q.Activations == experts:
		errs = append(errs, field.Invalid(at, q.Activations,
			a.Name+" does not compute in it; in bf16 it can serve weights stored in it"))
	case layers == experts:
		errs = append(errs, field.Invalid(at, q.Activations, "must be the format of the weights, "+string(layers)+", or bf16"))
	default:
		errs = append(errs, field.Invalid(at, q.Activations, fmt.Sprintf(
			"must be the format of the weights, %s or that of the experts, %s, or bf16", layers, experts)))
	}
	return errs
}
