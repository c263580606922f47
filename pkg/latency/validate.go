// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxParallelism is the number of GPUs behind the link that the catalogue
// states.
const maxParallelism = 8

// Validate reports what rules out serving the model, as faults of the fields
// tensorParallelism and quantization under path: more than one machine's GPUs,
// attention heads that cannot be dealt out evenly, which vLLM refuses, weights
// that are larger than the memory, and formats that do not exist or that the
// accelerator does not compute in.
func (i Instance) Validate(path *field.Path) field.ErrorList {
	errs := i.Quantization.validate(i.Model, i.Accelerator, path.Child("quantization"))
	path = path.Child("tensorParallelism")
	tp := i.TensorParallelism
	if tp < 1 {
		return append(errs, field.Invalid(path, tp, "must be at least 1"))
	}
	if tp > maxParallelism {
		return append(errs, field.Invalid(path, tp,
			fmt.Sprintf("must be at most %d, the GPUs of one machine: links between machines are not modelled", maxParallelism)))
	}
	m, a := i.Model, i.Accelerator
	if m.AttentionHeads%tp != 0 {
		errs = append(errs, field.Invalid(path, tp,
			fmt.Sprintf("must divide the %d attention heads of %s", m.AttentionHeads, m.Name)))
	} else if m.KVHeads > 0 && m.KVHeads%tp != 0 && tp%m.KVHeads != 0 {
		errs = append(errs, field.Invalid(path, tp,
			fmt.Sprintf("must divide the %d KV heads of %s, or be a multiple of them", m.KVHeads, m.Name)))
	}
	if weights := i.WeightBytes(); weights > a.MemoryBytes {
		errs = append(errs, field.Invalid(path, tp,
			fmt.Sprintf("%s does not fit: its weights take %.1f GiB of each GPU, and %s has %.1f GiB",
				m.Name, float64(weights)/gib, a.Name, float64(a.MemoryBytes)/gib)))
	}
	return errs
}

// Validate reports negative coefficients, as faults of the fields of linear,
// whose path is given.
func (l Linear) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, validateNotNegative(l.BaseMicroseconds, path.Child("baseMicroseconds"))...)
	errs = append(errs, validateNotNegative(l.PerPrefillTokenMicroseconds, path.Child("perPrefillTokenMicroseconds"))...)
	return append(errs, validateNotNegative(l.PerDecodeTokenMicroseconds, path.Child("perDecodeTokenMicroseconds"))...)
}

// Validate reports negative costs, as faults of the fields of the request's
// cost, whose path is given.
func (c RequestCost) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, validateNotNegative(microseconds(c.QueueBase), path.Child("queueBaseMicroseconds"))...)
	errs = append(errs, validateNotNegative(microseconds(c.QueuePerInputToken), path.Child("queuePerTokenMicroseconds"))...)
	errs = append(errs, validateNotNegative(microseconds(c.PerOutputToken), path.Child("perOutputTokenMicroseconds"))...)
	return append(errs, validateNotNegative(microseconds(c.Completion), path.Child("completionMicroseconds"))...)
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// share and notNegative are written so that what is not a number is a fault.

func validateShare(v float64, path *field.Path) field.ErrorList {
	if v > 0 && v <= 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, v, "must be greater than 0 and at most 1: it is a share of the peak")}
}

func validateNotNegative(v float64, path *field.Path) field.ErrorList {
	if v >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, v, "must be 0 or more")}
}
