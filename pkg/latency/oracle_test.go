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

// matrixWork returns the seconds that multiplying takes for n tokens of which so many
// are sampled: by what every token passes through, and by one expert.
func matrixWork(i Instance, c RooflineCoefficients, mfu, n, sampled float64) (seconds, experts float64) {
	tp := float64(i.TensorParallelism)
	q, e := i.quantization(), i.expertQuantization()
	for _, x := range matrices(i.Model, tp) {
		work := float64(x.layers) * 2 * x.in * x.out / x.gpus
		switch {
		case x.experts:
			rate := i.Accelerator.flopsPerSecond(e.Activations) * c.PrefillEfficiency * c.ExpertEfficiency
			experts += work * n / rate
		case x.sampled:
			seconds += work * sampled / (i.Accelerator.BF16FlopsPerSecond * mfu)
		case x.plain:
			seconds += work * n / (i.Accelerator.BF16FlopsPerSecond * mfu)
		default:
			seconds += work * n / (i.Accelerator.flopsPerSecond(q.Activations) * mfu)
		}
	}
	return seconds, experts
}

// weightBits are those of a weight, with its share of a scale.
var weightBits = map[Precision]float64{
	BF16: 16, FP8: 8, INT8: 8, INT4: 4 + 16./128, INT4Group32: 4 + 16./32, NVFP4: 4 + 8./16, MXFP4: 4 + 8./32,
}

// matrixBytes returns what one GPU reads: in every step, and of one expert.
func matrixBytes(i Instance) (bytes, expert float64) {
	tp := float64(i.TensorParallelism)
	for _, x := range matrices(i.Model, tp) {
		size := float64(x.layers) * x.in * x.out / x.gpus
		switch {
		case x.experts:
			expert += size * weightBits[i.expertQuantization().Weights] / 8
		case x.plain:
			bytes += size * 2
		default:
			bytes += size * weightBits[i.quantization().Weights] / 8
		}
	}
	return bytes, expert
}

// pairSeconds returns the time of a pair in one layer, expandSeconds that of making the
// keys and values of a token again.
func pairSeconds(i Instance, decode bool) float64 {
	m := i.Model
	heads, plain := float64(m.AttentionHeads), i.Accelerator.BF16FlopsPerSecond*float64(i.TensorParallelism)
	a := m.MLA
	switch {
	case a == nil:
		return 4 * heads * float64(m.HeadDim) / plain
	case decode: // a score with the latent vector and its positions, a value of the latent vector
		return 2 * heads * (float64(a.KVRank+a.RopeHeadDim) + float64(a.KVRank)) / plain
	}
	return 2 * heads * (float64(a.NopeHeadDim+a.RopeHeadDim) + float64(a.ValueHeadDim)) / plain
}

func expandSeconds(i Instance) float64 {
	a := i.Model.MLA
	if a == nil {
		return 0
	}
	work := 2 * float64(a.KVRank) * float64(i.Model.AttentionHeads) * float64(a.NopeHeadDim+a.ValueHeadDim)
	return work / i.Accelerator.flopsPerSecond(i.quantization().Activations) / float64(i.TensorParallelism)
}

// phaseWork is what the sequences of a phase do.
type phaseWork struct{ tokens, pairs, before, sampled float64 }

// plainSeconds adds up the work of a step sequence by sequence and matrix by
// matrix.
func plainSeconds(i Instance, c RooflineCoefficients, batch []sequence) float64 {
	var prompts, answers phaseWork
	var context float64
	for _, q := range batch {
		w := &prompts
		if q.decode {
			w = &answers
		}
		if q.decode || q.ends {
			w.sampled++
		}
		n, h := float64(q.tokens), float64(q.before)
		w.tokens += n
		w.before += h
		w.pairs += n * (h + (n+1)/2)
		context += n + h
	}
	tokens := prompts.tokens + answers.tokens
	prompt, _ := matrixWork(i, c, c.PrefillEfficiency, prompts.tokens, prompts.sampled)
	answer, _ := matrixWork(i, c, c.DecodeEfficiency, answers.tokens, answers.sampled)
	weights, _ := matrixBytes(i)
	compute, attention, kv := prompt+answer, 0., 0.
	for l := range i.Model.Layers {
		p, a, read := prompts.pairs, answers.pairs, context
		if w := i.Model.SlidingWindow; w != nil && l < w.Layers {
			window := float64(w.Tokens)
			p, a, read = min(p, prompts.tokens*window), min(a, answers.tokens*window), min(read, tokens+float64(len(batch))*window)
		}
		compute += prompts.before * expandSeconds(i) / c.PrefillEfficiency
		attention += p*pairSeconds(i, false)/c.PrefillEfficiency + a*pairSeconds(i, true)/c.DecodeEfficiency
		kv += (read/c.KVEfficiency + tokens) * plainKVBytes(i)
	}
	bandwidth := i.Accelerator.MemoryBandwidthBytesPerSecond
	seconds := max(compute, weights/(bandwidth*c.MemoryEfficiency)) + max(attention, kv/(bandwidth*c.MemoryEfficiency))
	return seconds + plainExperts(i, c, tokens) + plainOverhead(i, c, float64(len(batch)), tokens)
}

// plainExperts is the time of experts: reading or multiplying, by the busiest GPU.
func plainExperts(i Instance, c RooflineCoefficients, tokens float64) float64 {
	m := i.Model.MoE
	if m == nil {
		return 0
	}
	all, each := float64(m.Experts), float64(m.ExpertsPerToken)
	imbalance := min(c.ExpertImbalance, float64(i.TensorParallelism))
	busy := min(all, all*(1-math.Pow(1-each/all, tokens))*imbalance)
	_, bytes := matrixBytes(i)
	empty := map[bool]float64{true: 16, false: 32}[weightBits[i.expertQuantization().Weights] < 8]
	_, multiply := matrixWork(i, c, 1, tokens*each*imbalance+busy*empty, 0)
	return max(busy*bytes/(i.Accelerator.MemoryBandwidthBytesPerSecond*c.ExpertMemoryEfficiency), multiply)
}

func plainOverhead(i Instance, c RooflineCoefficients, sequences, tokens float64) float64 {
	layers, tp := float64(i.Model.Layers), float64(i.TensorParallelism)
	seconds := c.StepOverhead.Seconds() + layers*c.LayerOverhead.Seconds() +
		c.SequenceOverhead.Seconds()*sequences + c.TokenOverhead.Seconds()*tokens +
		float64(i.Model.moeLayers())*(c.DispatchLatency.Seconds()+tokens*c.DispatchTokenOverhead.Seconds())
	if tokens > 512 {
		seconds += layers * c.EagerLayerOverhead.Seconds()
	}
	if tp > 1 {
		seconds += 2 * layers * (c.AllReduceLatency.Seconds() +
			2*(tp-1)/tp*tokens*float64(i.Model.HiddenSize)*2/(i.Accelerator.LinkBandwidthBytesPerSecond*c.LinkEfficiency))
	}
	return seconds
}

// plainKVBytes returns the keys and values of a token and layer on one GPU.
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
		return row(m.MLA.KVRank + m.MLA.RopeHeadDim)
	}
	return 2 * math.Ceil(float64(m.KVHeads)/float64(i.TensorParallelism)) * row(m.HeadDim)
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
	if i.Model.MLA == nil && r.IntN(3) == 0 {
		i.Model.SlidingWindow = &SlidingWindow{Tokens: 1 + r.IntN(5000), Layers: 1 + r.IntN(i.Model.Layers)}
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
		ExpertEfficiency: 1 - r.Float64(), ExpertMemoryEfficiency: 1 - r.Float64(), ExpertImbalance: 1 + r.Float64()*3,
		KVEfficiency: 1 - r.Float64(), EagerLayerOverhead: time.Duration(r.IntN(1e5)),
		DispatchLatency: time.Duration(r.IntN(1e5)), DispatchTokenOverhead: time.Duration(r.IntN(100)),
	}
}
