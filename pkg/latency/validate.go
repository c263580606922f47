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
// tensorParallelism, dataParallelism, expertParallelism and quantization under path: more
// than one machine's GPUs, attention heads that cannot be dealt out evenly, which vLLM
// refuses, experts that cannot, weights that are larger than the memory, and formats that
// do not exist or that the accelerator does not compute in.
func (i Instance) Validate(path *field.Path) field.ErrorList {
	errs := i.Quantization.validate(i.Model, i.Accelerator, path.Child("quantization"))
	ranks := i.validateRanks(path)
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
	return append(errs, ranks...)
}

// validateRanks reports faults of dataParallelism and expertParallelism.
func (i Instance) validateRanks(path *field.Path) field.ErrorList {
	at, experts := path.Child("dataParallelism"), path.Child("expertParallelism")
	dp, tp := max(i.DataParallelism, 1), i.TensorParallelism
	m, gpus := i.Model.MoE, dp*tp
	switch {
	case i.DataParallelism < 0:
		return field.ErrorList{field.Invalid(at, i.DataParallelism, "must be at least 1")}
	case dp > 1 && gpus > maxParallelism:
		return field.ErrorList{field.Invalid(at, dp, fmt.Sprintf(
			"with tensorParallelism %d a replica has %d GPUs, more than the %d of one machine: links between machines are not modelled", tp, gpus, maxParallelism))}
	case i.ExpertParallel && m == nil:
		return field.ErrorList{field.Invalid(experts, enabled, i.Model.Name+" has no experts")}
	case i.ExpertParallel && gpus == 1:
		return field.ErrorList{field.Invalid(experts, enabled, "a replica has one GPU, which has all experts: raise dataParallelism or tensorParallelism")}
	case i.ExpertParallel && m.Experts%gpus != 0:
		return field.ErrorList{field.Invalid(experts, enabled, fmt.Sprintf(
			"dataParallelism × tensorParallelism is %d GPUs, which must divide the %d experts of %s", gpus, m.Experts, i.Model.Name))}
	case dp > 1 && m != nil && !i.ExpertParallel && m.ExpertIntermediateSize%gpus != 0:
		return field.ErrorList{field.Invalid(at, dp, fmt.Sprintf(
			"dataParallelism × tensorParallelism is %d GPUs, which must divide the width %d of an expert of %s, or enable expertParallelism", gpus, m.ExpertIntermediateSize, i.Model.Name))}
	}
	return nil
}

// enabled is the value of expertParallelism that ExpertParallel stands for.
const enabled = "Enabled"

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
