// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Llama-3.1-8B as one would write its work down.
const (
	layers8B = 32 * (4096*(2*4096+2*1024) + 3*4096*14336)
	head8B   = 4096 * 128256
	pair8B   = 4 * 32 * 128 * 32
)

func TestRooflineByHand(t *testing.T) {
	const eager = 32 * 200e-6 // launched kernel by kernel: more than 512 tokens
	tests := map[string]struct {
		timer *Roofline
		batch []sequence
		want  float64 // seconds, but for the overhead of each sequence
	}{
		"a decode of one is bound by reading weights and KV": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			batch: decodes(1, 1000),
			want:  (2*(layers8B+head8B)+131072*(1000+1))/(3.35e12*0.8) + 1e-3 + 1e-6,
		},
		"a batch of decodes reads the KV of each": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			batch: decodes(128, 1000),
			want:  (2*(layers8B+head8B)+131072*128*(1000+1))/(3.35e12*0.8) + 1e-3 + 128e-6,
		},
		"matrices are bound by compute where it is slow, and attention by memory": {
			timer: roofline(t, "Llama-3.1-8B", "h20", 1),
			batch: decodes(256, 100),
			want:  256*2*(layers8B+head8B)/(148e12*0.6) + 131072*256*(100+1)/(4e12*0.8) + 1e-3 + 256e-6,
		},
		"a long prompt is bound by compute": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			batch: []sequence{{tokens: 2048, ends: true}},
			want:  (2*layers8B*2048+pair8B*2048*2049/2+2*head8B)/(989e12*0.5) + 1e-3 + eager + 2048e-6,
		},
		"a chunk attends to what was computed before it": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			batch: []sequence{{tokens: 2048, before: 4096, ends: true}},
			want:  (2*layers8B*2048+pair8B*(2048*4096+2048*2049/2)+2*head8B)/(989e12*0.5) + 1e-3 + eager + 2048e-6,
		},
		"a chunk in the middle of a prompt samples nothing": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			batch: []sequence{{tokens: 2048}},
			want:  (2*layers8B*2048+pair8B*2048*2049/2)/(989e12*0.5) + 1e-3 + eager + 2048e-6,
		},
		"in a mixed step both phases take their time of matrices, and attention reads the KV of all": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			batch: append(decodes(64, 1000), sequence{tokens: 2048, ends: true}),
			want: (2*layers8B*2048+2*head8B+64*2*(layers8B+head8B))/(989e12*0.5) +
				131072*(2048+2048+64*(1000+1))/(3.35e12*0.8) + 1e-3 + eager + 2112e-6,
		},
		"two GPUs halve the work and pay for measured collectives": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 2),
			batch: decodes(32, 1000),
			want: (2*(layers8B+head8B)+131072*32*(1000+1))/(2*3.35e12*0.8) + 1e-3 + 32e-6 +
				2*32*(4.3e-6+(20.2e-6-4.3e-6)*(32*4096*2-4096)/(4194304-4096)),
		},
		"a KV head is not divided among GPUs, and collectives not measured take half of the link": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 16), // 8 KV heads
			batch: decodes(32, 1000),
			want: 2*(layers8B+32*4096*2*1024+head8B)/(16*3.35e12*0.8) + 131072/8*32*(1000+1)/(3.35e12*0.8) + 1e-3 + 32e-6 +
				2*32*(10e-6+2*15./16*32*4096*2/(450e9*0.5)),
		},
		"an empty step reads the weights": {
			timer: roofline(t, "Llama-3.1-8B", "h100-sxm", 1),
			want:  2*(layers8B+head8B)/(3.35e12*0.8) + 1e-3,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			want := tc.want + 11e-6*float64(len(tc.batch))
			if got := tc.timer.StepTime(step(tc.batch...)).Seconds(); math.Abs(got-want) > 1e-9 {
				t.Errorf("step = %.9f s, want %.9f", got, want)
			}
		})
	}
}

// Qwen3-30B-A3B and DeepSeek-V3 as one would write their work down.
func TestRooflineOfMoEAndMLAByHand(t *testing.T) {
	const (
		attention30B = 48 * 2048 * (2*4096 + 2*512)
		expert30B    = 48 * 3 * 2048 * 768
		router30B    = 48 * 2048 * 128
		head30B      = 2048 * 151936

		everywhereV3 = 61 * 7168 * (1536 + 512 + 64)
		expandV3     = 61 * 512 * 128 * (128 + 128)
		byHeadV3     = 61*(1536*128*192+128*128*7168) + expandV3
		mlpsV3       = 3*3*7168*18432 + 58*3*7168*2048 // dense layers, shared experts
		expertV3     = 58 * 3 * 7168 * 2048
		routerV3     = 58 * 7168 * 256
		headV3       = 7168 * 129280
	)
	a := math.Pow(1-8./128, 16)
	tests := map[string]struct {
		model, accelerator string
		tp                 int
		batch              []sequence
		want               float64 // seconds, but for overheads
	}{
		"decodes read the experts that they need": {"Qwen3-30B-A3B", "h100-sxm", 1, decodes(16, 1000),
			(2*(attention30B+router30B+head30B)+98304*16*1001)/(3.35e12*0.8) + 2*expert30B*128*(1-a)/(3.35e12*0.95)},
		"a prompt passes through 8 of them": {"Qwen3-30B-A3B", "h100-sxm", 1, []sequence{{tokens: 8192, ends: true}},
			(2*(attention30B+router30B)*8192+4*32*128*48*8192*8193/2+2*head30B)/(989e12*0.5) +
				2*expert30B*(8*8192+128*32)/(989e12*0.5*0.76)},
		"latent vectors are read by every GPU, and 2000 tokens are bound by compute elsewhere": {"DeepSeek-V3", "h200-sxm", 8, decodes(2000, 4000),
			2*2000*(everywhereV3+(byHeadV3+mlpsV3)/8.)/(1978e12*0.5) + 2*2000*(routerV3+headV3/8.)/(989e12*0.5) +
				70272*2000*4001/(4.8e12*0.8) +
				2*expertV3/8.*(8*2000+256*32)/(1978e12*0.5*0.43)},
		"a decode works on the latent vectors": {"DeepSeek-V3", "h20", 8, decodes(2000, 4000),
			2*2000*(everywhereV3+(byHeadV3+mlpsV3)/8.)/(296e12*0.6) +
				(2*2000*(routerV3+headV3/8.)+61*2*128*(2*512+64)/8.*2000*4000)/(148e12*0.6) +
				2*expertV3/8.*(8*2000+256*32)/(296e12*0.6*0.43)},
		"a chunk expands the latent vectors before it": {"DeepSeek-V3", "h200-sxm", 8, []sequence{{tokens: 4096, before: 8192}},
			(2*4096*(everywhereV3+(byHeadV3+mlpsV3)/8.)+2*8192*expandV3/8.)/(1978e12*0.5) +
				(2*4096*routerV3+61*2*128*(128+64+128)/8.*(4096*8192+4096*4097/2))/(989e12*0.5) +
				2*expertV3/8.*(8*4096+256*32)/(1978e12*0.5*0.43)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i := instance(t, tc.model, tc.accelerator, tc.tp)
			c := i.DefaultRoofline()
			c.LayerOverhead, c.SequenceOverhead, c.TokenOverhead, c.AllReduceLatency, c.AllReduce = 0, 0, 0, 0, nil
			c.DispatchLatency, c.EagerLayerOverhead = 0, 0
			i.Accelerator.LinkBandwidthBytesPerSecond = 1e18
			if got := i.Roofline(c).StepTime(step(tc.batch...)).Seconds(); math.Abs(got/tc.want-1) > 1e-6 {
				t.Errorf("step = %.9f s, want %.9f", got, tc.want)
			}
		})
	}
}

// A regression over measured runs puts a decode of one, where little but the
// weights is read, at these times.
func TestSingleDecodeMatchesMeasurement(t *testing.T) {
	tests := []struct {
		model, accelerator string
		tp                 int
		milliseconds       float64
	}{
		{"Llama-3.1-8B", "h100-sxm", 1, 6.91},
		{"Llama-3.1-8B", "h100-sxm", 2, 4.03},
		{"Llama-3.1-8B", "a100-sxm", 1, 10.61},
		{"Llama-3.1-8B", "l40s", 1, 23.47},
		{"Qwen3-14B", "h100-sxm", 1, 12.26},
		{"Qwen3-14B", "h100-sxm", 2, 6.84},
		{"Llama-3.1-70B", "h100-sxm", 4, 16.67},
		{"Llama-3.1-70B", "h100-sxm", 8, 9.68},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%s on %d %s", tc.model, tc.tp, tc.accelerator), func(t *testing.T) {
			got := roofline(t, tc.model, tc.accelerator, tc.tp).StepTime(step(decodes(1, 1000)...)).Seconds() * 1e3
			if math.Abs(got/tc.milliseconds-1) > 0.15 {
				t.Errorf("step = %.2f ms, want %.2f ± 15 %%", got, tc.milliseconds)
			}
		})
	}
}

func TestChunkedPrefillHasEqualAttention(t *testing.T) {
	whole := step(sequence{tokens: 4096})
	parts := step(sequence{tokens: 1024}, sequence{tokens: 3072, before: 1024})
	if whole.AttentionPairs != parts.AttentionPairs {
		t.Errorf("pairs: whole %d, in chunks %d", whole.AttentionPairs, parts.AttentionPairs)
	}
}

func TestStepSumsMatchSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		i, c := randomRoofline(t, r)
		batch := randomBatch(r)
		got, want := i.Roofline(c).StepTime(step(batch...)).Seconds(), plainSeconds(i, c, batch)
		if math.Abs(got-want) > 1e-9+1e-9*want {
			t.Fatalf("%s on %d %s, %+v, %+v: step = %.9f s, want %.9f for %+v",
				i.Model.Name, i.TensorParallelism, i.Accelerator.Name, i.Quantization, c, got, want, batch)
		}
	}
}

func TestMoreWorkIsNeverFaster(t *testing.T) {
	more := map[string]func(*sequence){
		"a token more of a chunk":        func(q *sequence) { q.tokens++ },
		"a token more of context":        func(q *sequence) { q.before++ },
		"a prompt that ends in its step": func(q *sequence) { q.ends = true },
	}
	for name, add := range more {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for range 300 {
				i, c := randomRoofline(t, r)
				timers := []StepTimer{
					i.Roofline(c),
					Linear{r.Float64() * 1e4, r.Float64() * 10, r.Float64() * 10},
				}
				batch := append(randomBatch(r), sequence{tokens: 1 + r.IntN(100), before: r.IntN(1000)})
				before := step(batch...)
				add(&batch[len(batch)-1])
				after := step(batch...)
				another := step(append(batch, sequence{tokens: 1, before: r.IntN(1000), decode: true})...)
				for _, timer := range timers {
					s, l, n := timer.StepTime(before), timer.StepTime(after), timer.StepTime(another)
					if s > l || l > n {
						t.Fatalf("%T: %s, with more work %s, with another sequence %s", timer, s, l, n)
					}
				}
			}
		})
	}
}

var sink time.Duration

func BenchmarkStepTime(b *testing.B) {
	s := step(append(decodes(64, 1000), sequence{tokens: 2048, ends: true})...)
	llama := instance(b, "Llama-3.1-8B", "h100-sxm", 2)
	measured := DefaultRoofline(llama.Accelerator)
	for n := range 20 {
		measured.AllReduce = append(measured.AllReduce, AllReduceTime{1 << (n + 8), float64(10 + n*n)})
	}
	for name, timer := range map[string]StepTimer{
		"roofline":                      roofline(b, "Llama-3.1-8B", "h100-sxm", 2),
		"roofline, measured all-reduce": llama.Roofline(measured),
		"roofline, experts":             roofline(b, "Qwen3-30B-A3B", "h100-sxm", 2),
		"physics":                       llama.Physics(),
		"table":                         parseTable(b, smallTable).Timer(),
		"linear":                        Linear{6910.42, 17.67057, 2.83775},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.ContextTokens++
				sink = timer.StepTime(s)
			}
		})
	}
}
