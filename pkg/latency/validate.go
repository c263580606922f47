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

// ValidateParallelism reports what rules out serving the model on tp
// accelerators, as faults of the field tensorParallelism under path: more
// than one machine's GPUs, attention heads that cannot be dealt out evenly, which vLLM refuses, and weights that
// are larger than the memory.
func ValidateParallelism(m Model, a Accelerator, tp int, path *field.Path) field.ErrorList {
	path = path.Child("tensorParallelism")
	if tp < 1 {
		return field.ErrorList{field.Invalid(path, tp, "must be at least 1")}
	}
	if tp > maxParallelism {
		return field.ErrorList{field.Invalid(path, tp,
			fmt.Sprintf("must be at most %d, the GPUs of one machine: links between machines are not modelled", maxParallelism))}
	}
	var errs field.ErrorList
	if m.AttentionHeads%tp != 0 {
		errs = append(errs, field.Invalid(path, tp,
			fmt.Sprintf("must divide the %d attention heads of %s", m.AttentionHeads, m.Name)))
	} else if m.KVHeads%tp != 0 && tp%m.KVHeads != 0 {
		errs = append(errs, field.Invalid(path, tp,
			fmt.Sprintf("must divide the %d KV heads of %s, or be a multiple of them", m.KVHeads, m.Name)))
	}
	if weights := m.WeightBytes() / int64(tp); weights > a.MemoryBytes {
		errs = append(errs, field.Invalid(path, tp,
			fmt.Sprintf("%s does not fit: its weights take %.1f GiB of each GPU, and %s has %.1f GiB",
				m.Name, float64(weights)/gib, a.Name, float64(a.MemoryBytes)/gib)))
	}
	return errs
}

// Validate reports coefficients that NewRoofline does not take, as faults of
// the fields of roofline, whose path is given.
func (c RooflineCoefficients) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, share(c.MemoryEfficiency, path.Child("memoryEfficiency"))...)
	errs = append(errs, share(c.PrefillEfficiency, path.Child("prefillEfficiency"))...)
	errs = append(errs, share(c.DecodeEfficiency, path.Child("decodeEfficiency"))...)
	errs = append(errs, notNegative(microseconds(c.StepOverhead), path.Child("stepOverheadMicroseconds"))...)
	errs = append(errs, notNegative(microseconds(c.SequenceOverhead), path.Child("sequenceOverheadMicroseconds"))...)
	errs = append(errs, notNegative(microseconds(c.TokenOverhead), path.Child("tokenOverheadMicroseconds"))...)
	return append(errs, notNegative(microseconds(c.AllReduceLatency), path.Child("allReduceLatencyMicroseconds"))...)
}

// Validate reports negative coefficients, as faults of the fields of linear,
// whose path is given.
func (l Linear) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, notNegative(l.BaseMicroseconds, path.Child("baseMicroseconds"))...)
	errs = append(errs, notNegative(l.PerPrefillTokenMicroseconds, path.Child("perPrefillTokenMicroseconds"))...)
	return append(errs, notNegative(l.PerDecodeTokenMicroseconds, path.Child("perDecodeTokenMicroseconds"))...)
}

// Validate reports negative costs, as faults of the fields of linear, whose
// path is given.
func (c RequestCost) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, notNegative(microseconds(c.QueueBase), path.Child("queueBaseMicroseconds"))...)
	errs = append(errs, notNegative(microseconds(c.QueuePerInputToken), path.Child("queuePerTokenMicroseconds"))...)
	return append(errs, notNegative(microseconds(c.PerOutputToken), path.Child("perOutputTokenMicroseconds"))...)
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// share and notNegative are written so that what is not a number is a fault.

func share(v float64, path *field.Path) field.ErrorList {
	if v > 0 && v <= 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, v, "must be greater than 0 and at most 1: it is a share of the peak")}
}

func notNegative(v float64, path *field.Path) field.ErrorList {
	if v >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, v, "must be 0 or more")}
}
