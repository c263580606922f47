// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"cmp"
	"math"
	"math/bits"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// RooflineCoefficients are what a roofline cannot know from data sheets.
type RooflineCoefficients struct {
	// MemoryEfficiency is the achieved share of memory bandwidth;
	// PrefillEfficiency and DecodeEfficiency of peak FLOP/s (MFU).
	MemoryEfficiency, PrefillEfficiency, DecodeEfficiency float64
	// StepOverhead is paid once a step, LayerOverhead for each of its layers,
	// SequenceOverhead for each sequence in the batch, TokenOverhead for each
	// new token.
	StepOverhead, LayerOverhead, SequenceOverhead, TokenOverhead time.Duration
	// AllReduceLatency is paid for each of the two collectives of a layer,
	// where there is more than one GPU.
	AllReduceLatency time.Duration
	// AllReduce is what such a collective was measured to take among as many
	// GPUs as the replica has, in order of size. Where it is given, neither
	// the link's bandwidth nor AllReduceLatency matters.
	AllReduce []AllReduceTime
	// LinkEfficiency is the share of the link's rate that collectives achieve
	// where AllReduce does not say what they take.
	LinkEfficiency float64

	// KVEfficiency is the share of MemoryEfficiency at which attention reads keys and
	// values.
	KVEfficiency float64
	// EagerLayerOverhead is paid for each layer of a step that computes more tokens than
	// the engine has captured as one graph, where the CPU launches kernel by kernel.
	EagerLayerOverhead time.Duration

	// ExpertEfficiency is the share of the MFU of prefill that the experts' small
	// matrices achieve, ExpertMemoryEfficiency that of the memory bandwidth.
	ExpertEfficiency, ExpertMemoryEfficiency float64
	// ExpertImbalance is the busiest GPU's work for experts over the mean, at
	// least 1, where whole experts are dealt out to the GPUs (expert
	// parallelism). It is 1 where each expert is cut over all of them.
	ExpertImbalance float64
	// DispatchLatency is paid in each layer with experts, once a step: routing, sorting
	// tokens by expert, and the least that the experts' kernels take.
	// DispatchTokenOverhead is paid there for each new token.
	DispatchLatency, DispatchTokenOverhead time.Duration
}

// Overheads are round numbers near to what fits of this model to two measured
// runs of vLLM 0.19 on two different GPUs give: 0.7 and 0.9 ms a step of 32
// layers, 13.5 and 13.1 µs a sequence, and 0.7 and 1.0 µs a token
// (docs/validation.md), where they trade off against the shares. What a step
// costs in addition to its work is launching kernels, a few in each layer, so that it
// grows with the layers. The latency of a collective is the one published for a
// point-to-point transfer. Of the link's rate, measured collectives of 8 to
// 128 MiB reach 0.25 to 0.75 (docs/studies/step-times.md).
const (
	defaultLayerOverhead    = time.Millisecond / 32
	defaultSequenceOverhead = 11 * time.Microsecond
	defaultTokenOverhead    = time.Microsecond
	defaultAllReduceLatency = 10 * time.Microsecond
	defaultLinkEfficiency   = 0.5
)

// defaultReduceLayerOverhead is what a layer costs more for each doubling of the GPUs in
// engines of 2025 on H100 (docs/validation.md). With vLLM 0.15 no trend is left.
const defaultReduceLayerOverhead = 10 * time.Microsecond

// DefaultRoofline returns the coefficients to start from: those of the accelerator with
// what the engine's version, the formats and the number of GPUs make of them, and with
// the catalogue's measured all-reduce where it has one among as many GPUs.
func (i Instance) DefaultRoofline() RooflineCoefficients {
	c := DefaultRoofline(i.Accelerator)
	if i.EngineVersion.orDefault() < firstAsynchronous {
		c.LayerOverhead += time.Duration(bits.Len(uint(i.TensorParallelism))-1) * defaultReduceLayerOverhead
	}
	if i.quantization().KVCache == FP8 {
		c.KVEfficiency = cmp.Or(i.Accelerator.FP8KVEfficiency, 1)
	}
	if i.Model.MoE != nil {
		c.ExpertEfficiency = expertShare(i.expertQuantization().Weights)
		c.DispatchLatency = defaultExpertFloor
	}
	if curve, ok := i.AllReduce(); ok {
		c.AllReduce = curve.Points()
	}
	return c
}

// AllReduce returns the measured all-reduce that DefaultRoofline takes: that of the
// engine's release, or of the nearest one.
func (i Instance) AllReduce() (AllReduceCurve, bool) {
	return i.Accelerator.AllReduceOf(i.TensorParallelism, i.EngineVersion)
}

// AllReduceOfAnotherEngine says that the measured all-reduce is that of another release of
// the engine.
func (i Instance) AllReduceOfAnotherEngine() bool {
	curve, ok := i.AllReduce()
	measured, known := curve.version()
	return ok && known && measured != i.EngineVersion.orDefault()
}

// DefaultRoofline returns the coefficients to start from on an accelerator,
// whatever the number of GPUs. Those of experts are neutral, and so is
// StepOverhead: no published measurement says what to start from.
func DefaultRoofline(a Accelerator) RooflineCoefficients {
	return RooflineCoefficients{
		MemoryEfficiency:   a.MemoryEfficiency,
		PrefillEfficiency:  a.PrefillEfficiency,
		DecodeEfficiency:   a.DecodeEfficiency,
		LayerOverhead:      defaultLayerOverhead,
		SequenceOverhead:   defaultSequenceOverhead,
		TokenOverhead:      defaultTokenOverhead,
		AllReduceLatency:   defaultAllReduceLatency,
		LinkEfficiency:     cmp.Or(a.LinkEfficiency, defaultLinkEfficiency),
		EagerLayerOverhead: microsecondsOf(a.EagerLayerMicroseconds),

		KVEfficiency:           1,
		ExpertEfficiency:       1,
		ExpertMemoryEfficiency: defaultExpertMemoryEfficiency,
		ExpertImbalance:        1,
	}
}

func microsecondsOf(v float64) time.Duration {
	return time.Duration(math.Round(v * float64(time.Microsecond)))
}

// Validate reports coefficients that Instance.Roofline does not take, as
// faults of the fields of roofline, whose path is given.
func (c RooflineCoefficients) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"memoryEfficiency", c.MemoryEfficiency},
		{"prefillEfficiency", c.PrefillEfficiency},
		{"decodeEfficiency", c.DecodeEfficiency},
		{"kvEfficiency", c.KVEfficiency},
		{"expertEfficiency", c.ExpertEfficiency},
		{"expertMemoryEfficiency", c.ExpertMemoryEfficiency},
		{"linkEfficiency", c.LinkEfficiency},
	} {
		errs = append(errs, validateShare(f.value, path.Child(f.name))...)
	}
	if !(c.ExpertImbalance >= 1 && c.ExpertImbalance <= maxImbalance) {
		errs = append(errs, field.Invalid(path.Child("expertImbalance"), c.ExpertImbalance,
			"must be at least 1 and at most 1000: it is the busiest GPU's work over the mean"))
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"stepOverheadMicroseconds", c.StepOverhead},
		{"layerOverheadMicroseconds", c.LayerOverhead},
		{"sequenceOverheadMicroseconds", c.SequenceOverhead},
		{"tokenOverheadMicroseconds", c.TokenOverhead},
		{"allReduceLatencyMicroseconds", c.AllReduceLatency},
		{"eagerLayerOverheadMicroseconds", c.EagerLayerOverhead},
		{"dispatchLatencyMicroseconds", c.DispatchLatency},
		{"dispatchTokenOverheadMicroseconds", c.DispatchTokenOverhead},
	} {
		errs = append(errs, validateNotNegative(microseconds(f.value), path.Child(f.name))...)
	}
	return append(errs, validateAllReduce(c.AllReduce, path.Child("allReduce"))...)
}

const maxImbalance = 1000
