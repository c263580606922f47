// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Qwen3-30B-A3B as one would write its work down: what each rank reads, and one expert.
const (
	own30B    = 2 * (48*2048*(2*32*128+2*4*128) + 48*2048*128 + 2048*151936) // bytes of BF16
	kv30B     = 48 * 2 * 4 * 128 * 2
	expert30B = 2 * 48 * 3 * 2048 * 768
)

// touched30B is how many of the 128 experts n tokens pass through, 8 each.
func touched30B(n float64) float64 { return 128 * (1 - math.Pow(1-8./128, n)) }

// plainCosts are round coefficients.
func plainCosts() RooflineCoefficients {
	return RooflineCoefficients{
		MemoryEfficiency: 0.8, PrefillEfficiency: 0.5, DecodeEfficiency: 0.5, LinkEfficiency: 0.5,
		KVEfficiency: 1, ExpertEfficiency: 1, ExpertMemoryEfficiency: 0.8, ExpertImbalance: 1,
		LayerOverhead: 10 * time.Microsecond, SequenceOverhead: 2 * time.Microsecond, AllReduceLatency: 5 * time.Microsecond,
	}
}

func TestRanksByHand(t *testing.T) {
	const (
		memory   = 3.35e12 * 0.8
		link     = 450e9 * 0.5
		fixed    = 48*10e-6 + 2*48*5e-6 // layers, and the two collectives of each
		received = 2 * 48 * 2 * 2048 / link
	)
	tests := map[string]struct {
		dp     int
		change func(*RooflineCoefficients)
		ranks  []Step
		want   float64 // seconds
	}{
		"an idle rank has all tokens of the other sent to it, and its GPU reads half of the experts": {
			dp: 2, ranks: []Step{step(decodes(32, 1000)...), {}},
			want: (own30B+kv30B*32*1001+touched30B(32)*expert30B/2)/memory + fixed + 32*2e-6 + 32*received,
		},
		"the slower rank counts, and the experts of the tokens of both": {
			dp: 2, ranks: []Step{step(decodes(32, 1000)...), step(decodes(64, 1000)...)},
			want: (own30B+kv30B*64*1001+touched30B(96)*expert30B/2)/memory + fixed + 64*2e-6 + (96-32)*received,
		},
		"four ranks have a quarter of the experts each": {
			dp: 4, ranks: []Step{step(decodes(8, 100)...), step(decodes(8, 100)...), step(decodes(8, 100)...), step(decodes(8, 100)...)},
			want: (own30B+kv30B*8*101+touched30B(32)*expert30B/4)/memory + fixed + 8*2e-6 + 24*received,
		},
		"the busiest GPU has more of the experts": {
			dp: 2, change: func(c *RooflineCoefficients) { c.ExpertImbalance = 1.25 }, ranks: []Step{step(decodes(2, 1000)...), {}},
			want: (own30B+kv30B*2*1001+1.25*touched30B(2)*expert30B/2)/memory + fixed + 2*2e-6 + 2*received,
		},
		"tokens of all ranks are sorted by expert": {
			dp: 2, change: func(c *RooflineCoefficients) { c.DispatchLatency, c.DispatchTokenOverhead = 3*time.Microsecond, 7 },
			ranks: []Step{step(decodes(2, 1000)...), step(decodes(2, 1000)...)},
			want:  (own30B+kv30B*2*1001+touched30B(4)*expert30B/2)/memory + fixed + 2*2e-6 + 2*received + 48*(3e-6+4*7e-9),
		},
		"a prompt is bound by compute, also among the experts, each of which leaves 32 tokens of a tile empty": {
			dp: 2, ranks: []Step{step(sequence{tokens: 8192, ends: true}), step(sequence{tokens: 8192, ends: true})},
			want: (8192*(own30B-2*2048*151936)+4*32*128*48*8192.*8193/2+2*2048*151936)/(989e12*0.5) +
				(2*8192*8+128*32)*expert30B/2/(989e12*0.5) + fixed + 2e-6 + 8192*received,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i := instance(t, "Qwen3-30B-A3B", "h100-sxm", 1)
			i.DataParallelism, i.ExpertParallel = tc.dp, true
			c := plainCosts()
			if tc.change != nil {
				tc.change(&c)
			}
			r := i.Ranks(c)
			if got := r.GroupStepTime(tc.ranks).Seconds(); math.Abs(got-tc.want) > 3e-9 {
				t.Errorf("%.9f s, want %.9f", got, tc.want)
			}
			if len(tc.ranks) > 1 && tc.ranks[1] == (Step{}) && r.StepTime(tc.ranks[0]) != r.GroupStepTime(tc.ranks) {
				t.Error("a rank by itself takes another time than beside one without work")
			}
		})
	}
}

// Whatever the batches, a step of all ranks takes at least as long as each rank by itself
// without experts, more work never makes it shorter, and whose batch is whose does not matter.
func TestRanksOfAnyBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for n := range 300 {
		i := randomInstance(t, r)
		i.DataParallelism, i.ExpertParallel = 2+r.IntN(3), r.IntN(2) == 0
		if i.Model.MoE == nil || i.TensorParallelism > 2 {
			continue
		}
		ranks := i.Ranks(i.DefaultRoofline())
		steps := make([]Step, i.DataParallelism)
		for k := range steps {
			steps[k] = step(append(decodes(r.IntN(50), 1+r.IntN(900)), sequence{tokens: r.IntN(3000), ends: true})...)
		}
		before := ranks.GroupStepTime(steps)
		for k := range steps {
			if alone := ranks.own.StepTime(steps[k]); before < alone {
				t.Errorf("%d: %v for all ranks, rank %d by itself takes %v", n, before, k, alone)
			}
		}
		steps[0], steps[1] = steps[1], steps[0]
		if got := ranks.GroupStepTime(steps); got != before {
			t.Errorf("%d: %v, and %v with two ranks exchanged", n, before, got)
		}
		more := step(decodes(5, 800)...)
		steps[0].add(&more)
		if got := ranks.GroupStepTime(steps); got+2 < before { // rounded in two places
			t.Errorf("%d: %v, and %v with more work", n, before, got)
		}
	}
}

// Each GPU of a rank has the weights of a replica without experts at its tensor parallelism,
// and its share of the experts: 128 experts in 48 layers, 57 982 058 496 bytes in all.
func TestMemoryOfRanks(t *testing.T) {
	alone := instance(t, "Qwen3-30B-A3B", "h100-sxm", 1)
	const experts = 128 * expert30B
	for dp, want := range map[int]int64{1: 0, 2: experts / 2, 4: experts * 3 / 4, 8: experts * 7 / 8} {
		i := alone
		i.DataParallelism = dp
		if got := alone.WeightBytes() - i.WeightBytes(); got != want {
			t.Errorf("%d ranks: %d bytes less on each GPU, want %d", dp, got, want)
		}
		if i.KVBytesPerToken() != alone.KVBytesPerToken() {
			t.Errorf("%d ranks: %d bytes of KV a token, want %d", dp, i.KVBytesPerToken(), alone.KVBytesPerToken())
		}
	}
	dense := instance(t, "Llama-3.1-8B", "h100-sxm", 1)
	weights := dense.WeightBytes()
	if dense.DataParallelism = 4; dense.WeightBytes() != weights {
		t.Errorf("a rank of a dense model has %d bytes, want all %d", dense.WeightBytes(), weights)
	}
}

func TestRanksValidation(t *testing.T) {
	tests := map[string]struct {
		model   string
		tp, dp  int
		experts bool
		want    []string
	}{
		"experts dealt out":             {"Qwen3-30B-A3B", 2, 4, true, nil},
		"experts cut":                   {"Qwen3-30B-A3B", 2, 4, false, nil},
		"experts among one rank's GPUs": {"Qwen3-30B-A3B", 4, 1, true, nil},
		"ranks of a dense model":        {"Llama-3.1-8B", 2, 4, false, nil},
		"more GPUs than a machine has": {"Qwen3-30B-A3B", 4, 4, true, []string{
			"pool.dataParallelism: Invalid value: 4: with tensorParallelism 4 a replica has 16 GPUs, more than the 8 of one machine: links between machines are not modelled"}},
		"no experts": {"Llama-3.1-8B", 2, 1, true, []string{
			"pool.expertParallelism: Invalid value: \"Enabled\": meta-llama/Llama-3.1-8B-Instruct has no experts"}},
		"one GPU": {"Qwen3-30B-A3B", 1, 1, true, []string{
			"pool.expertParallelism: Invalid value: \"Enabled\": a replica has one GPU, which has all experts: raise dataParallelism or tensorParallelism"}},
		"experts that cannot be dealt out": {"Qwen3-30B-A3B", 1, 3, true, []string{
			"pool.expertParallelism: Invalid value: \"Enabled\": dataParallelism × tensorParallelism is 3 GPUs, which must divide the 128 experts of Qwen/Qwen3-30B-A3B"}},
		"experts that cannot be cut": {"Qwen3-30B-A3B", 1, 5, false, []string{
			"pool.dataParallelism: Invalid value: 5: dataParallelism × tensorParallelism is 5 GPUs, which must divide the width 768 of an expert of Qwen/Qwen3-30B-A3B, or enable expertParallelism"}},
		"fewer than one": {"Qwen3-30B-A3B", 1, -1, false, []string{
			"pool.dataParallelism: Invalid value: -1: must be at least 1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i := instance(t, tc.model, "h100-sxm", tc.tp)
			i.DataParallelism, i.ExpertParallel = tc.dp, tc.experts
			if diff := cmp.Diff(tc.want, errorMessages(i.Validate(field.NewPath("pool")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

func TestNoCheckIsOfRanks(t *testing.T) {
	i := instance(t, "Mixtral-8x7B", "h100-sxm", 2)
	for _, metric := range checkedMetrics {
		i.DataParallelism = 2
		if got, ok := BuiltinChecks().Nearest(metric, i); ok {
			t.Errorf("%s: %+v", metric, got)
		}
	}
}

func BenchmarkGroupStepTime(b *testing.B) {
	i := instance(b, "Qwen3-30B-A3B", "h100-sxm", 1)
	i.DataParallelism = 8
	ranks := i.Ranks(i.DefaultRoofline())
	steps := make([]Step, 8)
	for k := range steps {
		steps[k] = step(decodes(64, 1000)...)
	}
	b.ReportAllocs()
	for b.Loop() {
		ranks.GroupStepTime(steps)
	}
}

// Drafts of ranks: a search takes the rank with the most sequences longest, passes that were
// measured take the same whatever the step, and a rank by itself drafts as one beside ranks
// without work.
func TestDraftsOfRanks(t *testing.T) {
	i := instance(t, "Qwen3-30B-A3B", "h100-sxm", 1)
	i.DataParallelism = 2
	c := plainCosts()
	ranks := i.Ranks(c)
	few, many := step(decodes(3, 100)...).Verifying(2), step(decodes(5, 100)...).Verifying(2)
	both := []Step{few, many}
	for name, tc := range map[string]struct {
		timer StepTimer
		more  time.Duration
	}{
		"a search": {WithDraftSearch(ranks, 7*time.Microsecond), 35 * time.Microsecond},
		"passes":   {WithDraftPasses(ranks, 3, time.Millisecond), 3 * time.Millisecond},
	} {
		if got := tc.timer.(groupTimer).GroupStepTime(both) - ranks.GroupStepTime(both); got != tc.more {
			t.Errorf("%s takes %v, want %v", name, got, tc.more)
		}
	}
	drafts := i.WithDraftModel(ranks, c, 3)
	if alone, among := drafts.StepTime(many), drafts.(groupTimer).GroupStepTime([]Step{{}, many}); alone != among {
		t.Errorf("a rank drafts in %v by itself and in %v among others", alone, among)
	}
}
