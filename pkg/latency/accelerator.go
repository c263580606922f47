// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"cmp"
	"slices"
)

// Accelerator is one GPU.
type Accelerator struct {
	Name string `json:"name"`
	// Generation is that of its chip, such as Hopper: measurements of one accelerator say
	// something about others of its generation. Empty where it is not known.
	Generation string `json:"generation,omitempty"`
	// MemoryBytes is what the driver shows.
	MemoryBytes int64 `json:"memoryBytes"`
	// MemoryBandwidthBytesPerSecond and the FLOP/s are peaks, dense. A format
	// that the accelerator does not compute in has none.
	MemoryBandwidthBytesPerSecond float64 `json:"memoryBandwidthBytesPerSecond"`
	BF16FlopsPerSecond            float64 `json:"bf16FlopsPerSecond"`
	FP8FlopsPerSecond             float64 `json:"fp8FlopsPerSecond,omitempty"`
	INT8FlopsPerSecond            float64 `json:"int8FlopsPerSecond,omitempty"`
	// FP4FlopsPerSecond is the peak of 4-bit floats whose groups have a scale
	// each: NVFP4 and MXFP4. MXFP4FlopsPerSecond is the same of a GPU that does not
	// compute in NVFP4.
	FP4FlopsPerSecond   float64 `json:"fp4FlopsPerSecond,omitempty"`
	MXFP4FlopsPerSecond float64 `json:"mxfp4FlopsPerSecond,omitempty"`
	// LinkBandwidthBytesPerSecond is that of the link between GPUs of one
	// machine, one way.
	LinkBandwidthBytesPerSecond float64 `json:"linkBandwidthBytesPerSecond"`
	// MemoryEfficiency and the next two are the shares of the peaks that engines achieve, 0 to 1.
	MemoryEfficiency  float64 `json:"memoryEfficiency"`
	PrefillEfficiency float64 `json:"prefillEfficiency"`
	DecodeEfficiency  float64 `json:"decodeEfficiency"`
	// FP8KVEfficiency is the share of MemoryEfficiency at which engines read a KV cache in
	// FP8; 0 means 1.
	FP8KVEfficiency float64 `json:"fp8KVEfficiency,omitempty"`
	// EagerLayerMicroseconds is what a layer costs more in steps that are too large for
	// the engine's captured graphs.
	EagerLayerMicroseconds float64 `json:"eagerLayerMicroseconds,omitempty"`
	// LinkEfficiency is the share of the link's rate that collectives achieve
	// among numbers of GPUs that AllReduce has no curve of; 0 means 0.5.
	LinkEfficiency float64 `json:"linkEfficiency,omitempty"`
	// AllReduce are measured collectives, a curve for each number of GPUs and release of
	// the engine.
	// They are read-only.
	AllReduce []AllReduceCurve `json:"allReduce,omitempty"`
	// Provenance says where the efficiencies come from; nil if it is not known.
	// What it points at is read-only.
	Provenance *Provenance `json:"provenance,omitempty"`
}

// flopsPerSecond returns the peak of a format, 0 if there is none.
func (a Accelerator) flopsPerSecond(p Precision) float64 {
	switch p {
	case BF16:
		return a.BF16FlopsPerSecond
	case FP8:
		return a.FP8FlopsPerSecond
	case INT8:
		return a.INT8FlopsPerSecond
	case NVFP4:
		return a.FP4FlopsPerSecond
	case MXFP4:
		return cmp.Or(a.MXFP4FlopsPerSecond, a.FP4FlopsPerSecond)
	}
	return 0
}

// multiplies reports whether the accelerator multiplies weights of one format by
// activations of another. Whatever it does not multiply as it is stored is
// unpacked to BF16 first. Cores for 4-bit floats take MXFP4 weights with FP8
// activations too, at the rate of FP8.
func (a Accelerator) multiplies(weights, activations Precision) bool {
	if activations == BF16 {
		return true
	}
	mixed := weights == MXFP4 && activations == FP8 && a.flopsPerSecond(MXFP4) > 0
	return a.flopsPerSecond(activations) > 0 && (activations == weights || mixed)
}

// AllReduceOf returns the measured curve of a number of GPUs under an engine: of the curves
// of several releases that of the nearest one up to its own, and if there is none, of the
// nearest one after it.
func (a Accelerator) AllReduceOf(gpus int, engine EngineVersion) (AllReduceCurve, bool) {
	var nearest AllReduceCurve
	found := false
	for _, curve := range a.AllReduce {
		if curve.TensorParallelism == gpus && (!found || curve.distance(engine) < nearest.distance(engine)) {
			nearest, found = curve, true
		}
	}
	return nearest, found
}

// Measured reports whether an all-reduce is one of the accelerator's curves.
func (a Accelerator) Measured(points []AllReduceTime) bool {
	return slices.ContainsFunc(a.AllReduce, func(c AllReduceCurve) bool { return slices.Equal(c.Points(), points) })
}
