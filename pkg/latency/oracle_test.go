// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// matrix is one that every token of a step, or every sampled one, is
// multiplied by.
type matrix struct {
	in, out float64
	layers  int
	// gpus is the number of GPUs that share the work, which is less than all
	// where rows are replicated.
	gpus    float64
	plain   bool // 16-bit whatever the layers are
	sampled bool // for sampled tokens alone
	experts bool // one of the experts
}

// matrices lists a model's, matrix by matrix.
func matrices(m Model, tp float64) []matrix {
	d, heads := float64(m.HiddenSize), float64(m.AttentionHeads)
	list := []matrix{{in: d, out: float64(m.VocabularySize), layers: 1, gpus: tp, plain: true, sampled: true}}
	every := func(in, out, gpus float64) {
		list = append(list, matrix{in: in, out: out, layers: m.Layers, gpus: gpus})
	}
	if a := m.MLA; a != nil {
		query, rank := float64(a.NopeHeadDim+a.RopeHeadDim), float64(a.QueryRank)
		if rank > 0 {
			every(d, rank, 1)
			every(rank, heads*query, tp)
		} else {
			every(d, heads*query, tp)
		}
		every(d, float64(a.KVRank+a.RopeHeadDim), 1)
		every(float64(a.KVRank), heads*float64(a.NopeHeadDim), tp)
		every(float64(a.KVRank), heads*float64(a.ValueHeadDim), tp)
		every(heads*float64(a.ValueHeadDim), d, tp)
	} else {
		kv := float64(m.KVHeads) * float64(m.HeadDim)
		every(d, heads*float64(m.HeadDim), tp)
		every(d, kv, min(tp, float64(m.KVHeads)))
		every(d, kv, min(tp, float64(m.KVHeads)))
		every(heads*float64(m.HeadDim), d, tp)
	}
	return append(list, mlpMatrices(m, tp)...)
}

func mlpMatrices(m Model, tp float64) []matrix {
	var list []matrix
	d := float64(m.HiddenSize)
	for l := range m.Layers {
		width := float64(m.IntermediateSize)
		if e := m.MoE; e != nil && l >= e.FirstDenseLayers && (l-e.FirstDenseLayers+1)%max(1, e.LayerStep) == 0 {
			width = float64(e.SharedIntermediateSize)
			list = append(list, matrix{in: d, out: float64(e.Experts), layers: 1, gpus: 1, plain: true})
			for range 3 {
				list = append(list, matrix{in: d, out: float64(e.ExpertIntermediateSize), layers: 1, gpus: tp, experts: true})
			}
		}
		for range 3 {
			list = append(list, matrix{in: d, out: width, layers: 1, gpus: tp})
		}
	}
	return list
}

// matrixWork returns the seconds that multiplying takes, and the bytes that
// one GPU reads, for n tokens of which so many are sampled.
func matrixWork(i Instance, c RooflineCoefficients, mfu, n, sampled float64) (seconds float64) {
	tp := float64(i.TensorParallelism)
	q, experts := i.quantization(), i.expertQuantization()
	imbalance := min(tp, c.ExpertImbalance)
	for _, x := range matrices(i.Model, tp) {
		rate, tokens := i.Accelerator.flopsPerSecond(q.Activations)*mfu, n
		switch {
		case x.experts:
			rate = i.Accelerator.flopsPerSecond(experts.Activations) * mfu * c.ExpertEfficiency
			tokens *= float64(i.Model.MoE.ExpertsPerToken) * imbalance
		case x.sampled:
			tokens = sampled
		}
		if x.plain {
			rate = i.Accelerator.BF16FlopsPerSecond * mfu
		}
		seconds += float64(x.layers) * 2 * x.in * x.out * tokens / x.gpus / rate
	}
	return seconds
}

// weightBits are those of a weight, with its share of a scale.
var weightBits = map[Precision]float64{
	BF16: 16, FP8: 8, INT8: 8, INT4: 4 + 16./128, INT4Group32: 4 + 16./32, NVFP4: 4 + 8./16, MXFP4: 4 + 8./32,
}

func matrixBytes(i Instance, c RooflineCoefficients, n float64) (bytes float64) {
	tp := float64(i.TensorParallelism)
	for _, x := range matrices(i.Model, tp) {
		format := i.quantization().Weights
		switch {
		case x.experts:
			format = i.expertQuantization().Weights
		case x.plain:
			format = BF16
		}
		read := float64(x.layers) * x.in * x.out / x.gpus * weightBits[format] / 8
		if x.experts {
			all := float64(i.Model.MoE.Experts)
			touched := all * (1 - math.Pow(1-float64(i.Model.MoE.ExpertsPerToken)/all, n))
			read *= min(all, touched*min(tp, c.ExpertImbalance))
		}
		bytes += read
	}
	return bytes
}

// attentionSeconds returns the time of a sequence's attention.
func attentionSeconds(i Instance, mfu float64, q sequence) float64 {
	m, n, h := i.Model, float64(q.tokens), float64(q.before)
	heads, pairs := float64(m.AttentionHeads), n*(h+(n+1)/2)
	layers := float64(m.Layers) / float64(i.TensorParallelism) / mfu
	plain := layers / i.Accelerator.BF16FlopsPerSecond
	a := m.MLA
	switch {
	case a == nil:
		return 4 * heads * float64(m.HeadDim) * pairs * plain
	case q.decode: // a score with the latent vector and its positions, a value of the latent vector
		return 2 * heads * (float64(a.KVRank+a.RopeHeadDim) + float64(a.KVRank)) * pairs * plain
	}
	matrices := layers / i.Accelerator.flopsPerSecond(i.Quantization.resolved(m, i.Accelerator).Activations)
	expand := 2 * h * float64(a.KVRank) * heads * float64(a.NopeHeadDim+a.ValueHeadDim) * matrices
	return expand + 2*heads*(float64(a.NopeHeadDim+a.RopeHeadDim)+float64(a.ValueHeadDim))*pairs*plain
}

// plainSeconds adds up the work of a step sequence by sequence and matrix by
// matrix, without sums over the batch.
func plainSeconds(i Instance, c RooflineCoefficients, batch []sequence) float64 {
	m, tp := i.Model, float64(i.TensorParallelism)
	var compute, kvTokens, tokens float64
	for _, q := range batch {
		mfu, sampled := c.PrefillEfficiency, 0.
		if q.decode {
			mfu = c.DecodeEfficiency
		}
		if q.decode || q.ends {
			sampled = 1
		}
		compute += matrixWork(i, c, mfu, float64(q.tokens), sampled) + attentionSeconds(i, mfu, q)
		kvTokens += float64(q.before + 2*q.tokens)
		tokens += float64(q.tokens)
	}
	memory := (matrixBytes(i, c, tokens) + plainKVBytes(i)*kvTokens) / (i.Accelerator.MemoryBandwidthBytesPerSecond * c.MemoryEfficiency)
	seconds := max(compute, memory) + c.StepOverhead.Seconds() + float64(m.Layers)*c.LayerOverhead.Seconds() +
		c.SequenceOverhead.Seconds()*float64(len(batch)) + c.TokenOverhead.Seconds()*tokens +
		float64(m.moeLayers())*(c.DispatchLatency.Seconds()+tokens*c.DispatchTokenOverhead.Seconds())
	if tp > 1 {
		seconds += 2 * float64(m.Layers) * (c.AllReduceLatency.Seconds() +
			2*(tp-1)/tp*tokens*float64(m.HiddenSize)*2/(i.Accelerator.LinkBandwidthBytesPerSecond*c.LinkEfficiency))
	}
	return seconds
}

func plainKVBytes(i Instance) float64 {
	bits := map[Precision]float64{"": 16, BF16: 16, FP8: 8, INT8: 8, INT4: 4}[i.Quantization.KVCache]
	row := func(n int) float64 {
		bytes := math.Ceil(float64(n) * bits / 8)
		if bits == 4 {
			bytes += 2 * math.Ceil(float64(n)/128)
		}
		return bytes
	}
	m := i.Model
	if m.MLA != nil {
		return float64(m.Layers) * row(m.MLA.KVRank+m.MLA.RopeHeadDim)
	}
	return 2 * float64(m.Layers) * math.Ceil(float64(m.KVHeads)/float64(i.TensorParallelism)) * row(m.HeadDim)
}

func randomBatch(r *rand.Rand) []sequence {
	batch := make([]sequence, r.IntN(40))
	for i := range batch {
		if r.IntN(3) > 0 {
			batch[i] = sequence{tokens: 1, before: 1 + r.IntN(20000), decode: true}
		} else {
			batch[i] = sequence{tokens: 1 + r.IntN(2000), before: r.IntN(2) * r.IntN(20000), ends: r.IntN(2) == 0}
		}
	}
	return batch
}

func randomInstance(t *testing.T, r *rand.Rand) Instance {
	t.Helper()
	models, accelerators := Builtin().ModelNames(), Builtin().AcceleratorNames()
	i := Instance{
		Model:             mustModel(t, models[r.IntN(len(models))]),
		Accelerator:       mustAccelerator(t, accelerators[r.IntN(len(accelerators))]),
		TensorParallelism: 1 << r.IntN(4),
		Quantization:      Quantization{Weights: anyOf(r, weightFormats), KVCache: anyOf(r, kvFormats)},
	}
	if r.IntN(3) == 0 {
		i.Quantization = Quantization{}
	}
	if i.Model.MLA != nil && r.IntN(2) == 0 {
		i.Model.MLA.QueryRank = 0
	}
	if i.Model.MoE != nil && r.IntN(3) == 0 {
		i.Model.MoE.LayerStep, i.Model.IntermediateSize = 2, 5000
	}
	if i.Model.MoE != nil && r.IntN(2) == 0 {
		i.Model.MoE.Weights = anyOf(r, weightFormats)
	}
	return i
}

func anyOf[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func randomRoofline(t *testing.T, r *rand.Rand) (Instance, RooflineCoefficients) {
	t.Helper()
	return randomInstance(t, r), RooflineCoefficients{
		MemoryEfficiency: 1 - r.Float64(), PrefillEfficiency: 1 - r.Float64(), DecodeEfficiency: 1 - r.Float64(),
		StepOverhead: time.Duration(r.IntN(1e6)), LayerOverhead: time.Duration(r.IntN(1e5)), SequenceOverhead: time.Duration(r.IntN(1e5)),
		TokenOverhead: time.Duration(r.IntN(1e4)), LinkEfficiency: 1 - r.Float64(), AllReduceLatency: time.Duration(r.IntN(1e5)),
		ExpertEfficiency: 1 - r.Float64(), ExpertImbalance: 1 + r.Float64()*3,
		DispatchLatency: time.Duration(r.IntN(1e5)), DispatchTokenOverhead: time.Duration(r.IntN(100)),
	}
}
