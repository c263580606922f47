// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func mustModel(t testing.TB, name string) Model {
	t.Helper()
	m, ok := LookupModel(name)
	if !ok {
		t.Fatalf("no model %s", name)
	}
	return m
}

func mustAccelerator(t testing.TB, name string) Accelerator {
	t.Helper()
	a, ok := LookupAccelerator(name)
	if !ok {
		t.Fatalf("no accelerator %s", name)
	}
	return a
}

func TestModelSizes(t *testing.T) {
	tests := map[string]struct {
		parametersBillion, weightsGiB float64
		kvBytesPerToken               int64
	}{
		"Llama-3.1-8B":  {8.03, 14.96, 131072},
		"Llama-3.1-70B": {70.55, 131.4, 327680},
		"Llama-2-70B":   {68.98, 128.5, 327680},
		"Qwen2.5-7B":    {7.62, 14.18, 57344},
		"Qwen3-8B":      {8.19, 15.26, 147456},
		"Qwen3-14B":     {14.77, 27.51, 163840},
		"Qwen3-32B":     {32.76, 61.02, 262144},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := mustModel(t, name)
			if got := float64(m.Parameters()) / 1e9; math.Abs(got-tc.parametersBillion) > 0.006 {
				t.Errorf("parameters = %.3f billion, want %.2f", got, tc.parametersBillion)
			}
			if got := float64(m.WeightBytes()) / gib; math.Abs(got-tc.weightsGiB) > 0.06 {
				t.Errorf("weights = %.2f GiB, want %.2f", got, tc.weightsGiB)
			}
			if got := m.KVBytesPerToken(); got != tc.kvBytesPerToken {
				t.Errorf("KV bytes per token = %d, want %d", got, tc.kvBytesPerToken)
			}
		})
	}
}

func TestKVBlocks(t *testing.T) {
	tests := []struct {
		model, accelerator string
		tp, want           int
	}{
		{"Llama-3.1-8B", "h100-sxm", 1, 26312},
		{"Llama-3.1-8B", "a100-sxm", 1, 26312},
		{"Llama-3.1-8B", "l40s", 1, 10177}, // 48.3e9 B visible; 48 GiB would give 11567
		{"Qwen3-14B", "h100-sxm", 1, 15909},
		{"Llama-3.1-8B", "h100-sxm", 2, 62639},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%s on %d %s", tc.model, tc.tp, tc.accelerator), func(t *testing.T) {
			got, err := KVBlocks(mustModel(t, tc.model), mustAccelerator(t, tc.accelerator), tc.tp, 16, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			if diff := math.Abs(float64(got-tc.want)) / float64(tc.want); diff > 0.002 {
				t.Errorf("KVBlocks = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestKVAndWeightsFitIntoMemory(t *testing.T) {
	for _, model := range ModelNames() {
		for _, accelerator := range AcceleratorNames() {
			for _, tp := range []int{1, 2, 4, 8, 16} {
				m, a := mustModel(t, model), mustAccelerator(t, accelerator)
				blocks, err := KVBlocks(m, a, tp, 16, 0.9)
				if err != nil {
					continue
				}
				kv := float64(blocks) * 16 * float64(m.kvBytesPerToken(tp)) * float64(tp)
				total, room := kv+float64(m.WeightBytes()), 0.9*float64(a.MemoryBytes)*float64(tp)
				if total > room {
					t.Errorf("%s on %d %s: KV and weights take %.1f GiB of %.1f", model, tp, accelerator, total/gib, room/gib)
				}
			}
		}
	}
}

func TestModelThatDoesNotFit(t *testing.T) {
	_, err := KVBlocks(mustModel(t, "Llama-3.1-70B"), mustAccelerator(t, "h100-sxm"), 1, 16, 0.9)
	if err == nil {
		t.Fatal("70B fits on one H100, it says")
	}
}

func roofline(t testing.TB, model, accelerator string, tp int) *Roofline {
	a := mustAccelerator(t, accelerator)
	return NewRoofline(mustModel(t, model), a, tp, DefaultRoofline(a))
}

func prefill(tokens, before int) Step {
	t, h := int64(tokens), int64(before)
	return Step{
		Sequences: 1, PrefillTokens: tokens,
		AttentionPairs: t*h + t*(t+1)/2, ContextTokens: h + t, SampledTokens: 1,
	}
}

func decode(sequences, context int) Step {
	pairs := int64(sequences) * int64(context)
	return Step{
		Sequences: sequences, DecodeTokens: sequences,
		AttentionPairs: pairs, DecodePairs: pairs, ContextTokens: pairs, SampledTokens: sequences,
	}
}

func TestRooflineByHand(t *testing.T) {
	r := roofline(t, "Llama-3.1-8B", "h100-sxm", 1)
	layers := 32 * (4096.0*(2*4096+2*1024) + 3*4096*14336)
	head := 4096.0 * 128256
	t.Run("a decode of one is bound by reading weights and KV", func(t *testing.T) {
		memory := (2*(layers+head) + 131072*(1000+1)) / (3.35e12 * 0.8)
		want := memory + 1e-3 + 1e-6
		if got := r.StepTime(decode(1, 1000)).Seconds(); math.Abs(got-want) > 1e-9 {
			t.Errorf("step = %.6f s, want %.6f", got, want)
		}
	})
	t.Run("a long prefill is bound by compute", func(t *testing.T) {
		flops := 2*layers*2048 + 4*32*128*32*(2048.0*2049/2) + 2*head
		want := flops/(989e12*0.45) + 1e-3 + 2048e-6
		if got := r.StepTime(prefill(2048, 0)).Seconds(); math.Abs(got-want) > 1e-9 {
			t.Errorf("step = %.6f s, want %.6f", got, want)
		}
	})
}

func TestRooflineGrowsWithWork(t *testing.T) {
	r := roofline(t, "Qwen3-32B", "h100-sxm", 2)
	var last time.Duration
	for _, tokens := range []int{1, 16, 256, 2048, 8192} {
		if now := r.StepTime(prefill(tokens, 4096)); now < last {
			t.Errorf("%d prompt tokens take %s, fewer took %s", tokens, now, last)
		} else {
			last = now
		}
	}
	last = 0
	for _, batch := range []int{1, 8, 64, 256} {
		if now := r.StepTime(decode(batch, 1000)); now < last {
			t.Errorf("a batch of %d takes %s, a smaller one %s", batch, now, last)
		} else {
			last = now
		}
	}
}

func TestChunksCostAsMuchAttentionAsTheWhole(t *testing.T) {
	whole := prefill(4096, 0).AttentionPairs
	parts := prefill(1024, 0).AttentionPairs + prefill(3072, 1024).AttentionPairs
	if whole != parts {
		t.Errorf("pairs: whole %d, in chunks %d", whole, parts)
	}
}

func TestLinear(t *testing.T) {
	l := Linear{BaseMicroseconds: 6910.42, PerPrefillTokenMicroseconds: 17.67057, PerDecodeTokenMicroseconds: 2.83775}
	got := l.StepTime(Step{PrefillTokens: 100, DecodeTokens: 10})
	if want := 8705854 * time.Nanosecond; got != want && got != want+1 {
		t.Errorf("step = %s, want %s", got, want)
	}
	if got := (Linear{}).StepTime(Step{}); got != 1 {
		t.Errorf("an empty step takes %s, want 1ns: a clock must move", got)
	}
}

func BenchmarkRoofline(b *testing.B) {
	r := roofline(b, "Llama-3.1-8B", "h100-sxm", 1)
	s := decode(64, 1000)
	b.ReportAllocs()
	for b.Loop() {
		s.ContextTokens++
		sink = r.StepTime(s)
	}
}

var sink time.Duration
