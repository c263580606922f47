// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
)

// publishedPeaks are those that the published step times were computed with.
func publishedPeaks(t testing.TB, accelerator string) Accelerator {
	t.Helper()
	a := mustAccelerator(t, accelerator)
	switch accelerator {
	case "h100-sxm":
		a.BF16FlopsPerSecond = 989.5e12
	case "l40s":
		a.BF16FlopsPerSecond = 362.05e12
	}
	return a
}

func physicsOf(t testing.TB, model, accelerator string, tp int) *Physics {
	t.Helper()
	return Instance{Model: mustModel(t, model), Accelerator: publishedPeaks(t, accelerator), TensorParallelism: tp}.Physics()
}

// Step times of the published implementation, in ms, with 1 000 tokens of
// context before each decode.
func TestPhysicsMatchesPublishedStepTimes(t *testing.T) {
	prompt := func(n int) sequence { return sequence{tokens: n, ends: true} }
	steps := []Step{
		step(decodes(1, 1001)...), step(decodes(32, 1001)...), step(decodes(128, 1001)...), step(decodes(256, 1001)...),
		step(prompt(512)), step(prompt(2048)), step(append(decodes(64, 1001), prompt(2048))...),
	}
	tests := []struct {
		model, accelerator string
		tp                 int
		want               [7]float64
	}{
		{"Llama-3.1-8B", "h100-sxm", 1, [7]float64{6.91, 9.41, 17.16, 27.48, 7.97, 11.74, 16.90}},
		{"Llama-3.1-8B", "h100-sxm", 2, [7]float64{4.03, 5.36, 9.45, 14.91, 4.62, 6.69, 9.42}},
		{"Llama-3.1-8B", "a100-sxm", 1, [7]float64{10.61, 14.63, 27.08, 43.69, 14.07, 26.03, 34.33}},
		{"Llama-3.1-8B", "l40s", 1, [7]float64{23.47, 32.77, 61.58, 99.99, 26.26, 36.57, 55.77}},
		{"Qwen3-14B", "h100-sxm", 1, [7]float64{12.26, 15.35, 24.92, 37.69, 14.29, 21.27, 27.66}},
		{"Qwen3-14B", "h100-sxm", 2, [7]float64{6.84, 8.46, 13.47, 20.16, 7.95, 11.72, 15.07}},
		{"Llama-3.1-70B", "h100-sxm", 4, [7]float64{16.67, 18.31, 23.39, 30.17, 19.80, 29.84, 33.23}},
		{"Llama-3.1-70B", "h100-sxm", 8, [7]float64{9.68, 10.59, 13.40, 17.15, 11.55, 17.47, 19.35}},
		{"Mixtral-8x7B", "h100-sxm", 2, [7]float64{20.08, 21.41, 25.50, 30.96, 21.11, 24.51, 27.24}},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%s on %d %s", tc.model, tc.tp, tc.accelerator), func(t *testing.T) {
			p := physicsOf(t, tc.model, tc.accelerator, tc.tp)
			for n, want := range tc.want {
				// The times are whole µs; half a µs decides how they round.
				got := float64(p.StepTime(steps[n]).Microseconds()) / 1e3
				if math.Abs(got-want) > 0.005+1e-9 {
					t.Errorf("step %d: %.3f ms, want %.2f", n, got, want)
				}
			}
		})
	}
}

// One request of 512 prompt and 64 output tokens, alone.
func TestPhysicsOfOneRequest(t *testing.T) {
	tests := []struct {
		model     string
		tp        int
		ttft, itl float64 // ms
	}{
		{"Llama-3.1-8B", 1, 23.573, 6.921},
		{"Llama-3.1-70B", 4, 35.412, 16.690},
		{"Mixtral-8x7B", 2, 36.722, 20.111},
	}
	for _, tc := range tests {
		t.Run(tc.model, func(t *testing.T) {
			p, cost := physicsOf(t, tc.model, "h100-sxm", tc.tp), PhysicsRequestCost()
			ttft := cost.QueueBase + p.StepTime(step(sequence{tokens: 512, ends: true})) + cost.PerOutputToken
			var gaps time.Duration
			for n := range 63 {
				gaps += p.StepTime(step(sequence{tokens: 1, before: 512 + n, decode: true}))
			}
			itl := cost.PerOutputToken + gaps/63
			if got := microseconds(ttft) / 1e3; math.Abs(got-tc.ttft) > 5e-7 {
				t.Errorf("TTFT = %.3f ms, want %.3f", got, tc.ttft)
			}
			if got := microseconds(itl) / 1e3; math.Abs(got-tc.itl) > 5e-4 {
				t.Errorf("ITL = %.4f ms, want %.3f", got, tc.itl)
			}
		})
	}
}

// plainPhysics is the published formula term by term, in microseconds.
func plainPhysics(i Instance, batch []sequence) float64 {
	m, tp := i.Model, float64(i.TensorParallelism)
	q := i.quantization()
	layers, d := float64(m.Layers), float64(m.HiddenSize)
	dh := float64(m.HiddenSize / m.AttentionHeads)
	dkv := float64(m.KVHeads) * dh
	flops, width := i.Accelerator.flopsPerSecond(q.Activations)/1e6, i.Accelerator.MemoryBandwidthBytesPerSecond/1e6
	w, we := weightBits[q.Weights]/8, weightBits[i.expertQuantization().Weights]/8
	e := map[Precision]float64{BF16: 2, FP8: 1, INT8: 1, INT4: 66. / 128}[q.KVCache]
	if q.KVCache == INT4 && m.HeadDim == 64 {
		e = 34. / 64 // half a group has a scale of its own
	}
	var prompt, pairs, decoding, context float64
	for _, s := range batch {
		if s.decode {
			decoding++
			context += float64(s.before)
			continue
		}
		full, t := float64(max(s.full, s.before+s.tokens)), float64(s.tokens)
		prompt += t
		pairs += 4 * float64(m.AttentionHeads) / tp * t * (full + t/2) * dh
	}
	var computed, read, experts, moe float64
	for l := range m.Layers {
		f := float64(m.IntermediateSize)
		if x := m.MoE; x != nil && l >= x.FirstDenseLayers && (l-x.FirstDenseLayers+1)%max(1, x.LayerStep) == 0 {
			computed += 6 * d * float64(x.ExpertIntermediateSize*x.ExpertsPerToken)
			experts += 3 * d * float64(x.ExpertIntermediateSize*x.Experts)
			f = float64(x.SharedIntermediateSize)
			if x.LayerStep > 1 {
				moe++
			}
		}
		computed += 6 * d * f
		read += 3 * d * f
	}
	tpf := (layers*2*prompt*d*(2*d+2*dkv)/tp + layers*pairs + prompt*computed/tp) / flops
	tkv := layers * 2 * (dkv / tp) * e * (context + decoding) / width
	tw := ((layers*d*(2*d+2*dkv)+read)*w + experts*we) / tp / width
	tar := 2 * layers * (prompt + decoding) * d * 2 * 2 * (tp - 1) / tp / width
	return 0.152128*tpf + 1.94710771*tkv + 1.36252915*tw + 0.752037*tar + 32.09546717*layers + 4.41684444*float64(len(batch)) + 126.024825 + 481.86*moe
}

func TestPhysicsMatchesFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		i := randomInstance(t, r)
		batch := append(randomBatch(r), sequence{tokens: 1, before: 10, decode: true})
		if n := r.IntN(len(batch)); !batch[n].decode && !batch[n].ends {
			batch[n].full = batch[n].before + batch[n].tokens + r.IntN(5000)
		}
		if i.Model.MLA != nil {
			continue
		}
		got, want := float64(i.Physics().StepTime(step(batch...)).Microseconds()), plainPhysics(i, batch)
		if math.Abs(got+0.5-want) > 0.5+1e-9*want {
			t.Fatalf("%s on %d %s, %+v: %.0f µs, want %.3f", i.Model.Name, i.TensorParallelism, i.Accelerator.Name, i.Quantization, got, want)
		}
	}
}

func TestPhysicsIsWholeMicroseconds(t *testing.T) {
	p := physicsOf(t, "Llama-3.1-8B", "h100-sxm", 1)
	for s, want := range map[Step]time.Duration{
		{}: time.Microsecond,
		{Sequences: 1, DecodeTokens: 1, DecodePairs: 1001}: 6911 * time.Microsecond,
		{Sequences: 1, DoublePromptPairs: math.MaxInt64}:   longestStep,
	} {
		if got := p.StepTime(s); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
}

func TestPhysicsWarnsOfLongPrompts(t *testing.T) {
	i := instance(t, "Llama-3.1-8B", "h100-sxm", 1)
	for _, tokens := range []int{0, 1, 400} {
		if note := i.PhysicsNote(tokens); note != "" {
			t.Errorf("a prompt of %d tokens: %s", tokens, note)
		}
	}
	note := i.PhysicsNote(10000)
	for _, part := range []string{"10000 tokens of meta-llama/Llama-3.1-8B-Instruct in ", "but 1 h100-sxm need at least 1", "use roofline"} {
		if !strings.Contains(note, part) {
			t.Errorf("the note %q does not say %q", note, part)
		}
	}
}

func TestPhysicsRejectsLatentAttention(t *testing.T) {
	i := instance(t, "DeepSeek-V3", "h200-sxm", 8)
	want := `latency.model: Invalid value: "physics": deepseek-ai/DeepSeek-V3 has multi-head latent attention, which this regression was not fitted to: use roofline`
	if errs := i.ValidatePhysics(field.NewPath("latency", "model")); len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("faults = %v", errs)
	}
	if note := i.PhysicsNote(10000); note != "" {
		t.Errorf("note = %q", note)
	}
	func() {
		defer paniccheck.Want(t, "it is computed all the same")
		i.Physics()
	}()
	i.Model = mustModel(t, "Mixtral-8x7B")
	if errs := i.ValidatePhysics(nil); len(errs) > 0 {
		t.Errorf("faults = %v", errs)
	}
}
