// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"testing"
	"time"
)

// constant is a step time whatever the step.
type constant time.Duration

func (c constant) StepTime(Step) time.Duration { return time.Duration(c) }

// TestTheDraftModelReadsALayerAndTheHead: at the peaks of an H100, 3.35 TB/s, small steps
// take the time of what they read. A layer of Llama-3.1-8B has 2·4096·4096 + 2·4096·1024 +
// 3·4096·14336 = 218,103,808 weights, its LM head 4096·128,256 = 525,336,576, of 2 bytes
// each; a token's keys and values of one layer take 2·8·128·2 = 4096 bytes. Two sequences
// with 100 tokens each verify two drafts: the first pass reads the KV of 2·103 tokens and
// writes that of 6, and each other pass reads that of 2·104 tokens and writes that of 2.
func TestTheDraftModelReadsALayerAndTheHead(t *testing.T) {
	const layer, head, kv = 218_103_808 * 2, 525_336_576 * 2, 4096
	i := instance(t, "meta-llama/Llama-3.1-8B", "h100-sxm", 1)
	peak := RooflineCoefficients{MemoryEfficiency: 1, PrefillEfficiency: 1, DecodeEfficiency: 1, KVEfficiency: 1, ExpertEfficiency: 1, ExpertMemoryEfficiency: 1, ExpertImbalance: 1, LinkEfficiency: 1}
	s := step(sequence{tokens: 1, before: 100, decode: true}, sequence{tokens: 1, before: 100, decode: true}).Verifying(2)
	for passes, bytes := range map[int]float64{
		1: layer + head + (206+6)*kv,
		2: 2*(layer+head) + (206+6)*kv + (208+2)*kv,
		4: 4*(layer+head) + (206+6)*kv + 3*(208+2)*kv,
	} {
		want := bytes / 3.35e12
		got := (i.WithDraftModel(constant(time.Second), peak, passes).StepTime(s) - time.Second).Seconds()
		if math.Abs(got-want) > 1e-8 {
			t.Errorf("%d passes take %v s, want %v s", passes, got, want)
		}
	}
}

// A pass pays for its one layer what the step pays for each of its own: of 3.2 ms a step of
// 32 layers, 0.1 ms; and nothing for sequences and tokens.
func TestTheDraftModelPaysForALayer(t *testing.T) {
	i := instance(t, "meta-llama/Llama-3.1-8B", "h100-sxm", 1)
	s := step(sequence{tokens: 1, before: 100, decode: true}).Verifying(2)
	c := i.DefaultRoofline()
	c.LayerOverhead, c.StepOverhead = 0, 0
	free := i.WithDraftModel(constant(time.Second), c, 3).StepTime(s)
	c.StepOverhead, c.LayerOverhead, c.SequenceOverhead, c.TokenOverhead = 3200*time.Microsecond, 20*time.Microsecond, time.Millisecond, time.Millisecond
	if got, want := i.WithDraftModel(constant(time.Second), c, 3).StepTime(s)-free, 360*time.Microsecond; got != want {
		t.Errorf("three passes pay %v, want %v", got, want)
	}
}

// Draft models of all shapes have a layer: with experts where the model has some.
func TestDraftLayers(t *testing.T) {
	for _, name := range Builtin().ModelNames() {
		i := instance(t, name, "b200-sxm", 8)
		layer := i.draftLayer().Model
		if layer.Layers != 1 || layer.headParameters() != 0 || (layer.moeLayers() > 0) != (i.Model.moeLayers() > 0) || layer.SlidingWindow != nil {
			t.Errorf("%s has the draft layer %+v", name, layer)
		}
		whole := i.Model
		if got := i.WithDraftLayer().Model; got.Layers != whole.Layers+1 || i.Model.Layers != whole.Layers || layer.MoE != nil && layer.MoE == whole.MoE {
			t.Errorf("%s of %d layers has %d with a draft layer", name, whole.Layers, got.Layers)
		}
		c := i.DefaultRoofline()
		if drafted, target := i.WithDraftModel(i.Roofline(c), c, 2).StepTime(Step{Sequences: 1}), i.Roofline(c).StepTime(Step{Sequences: 1}); drafted <= target {
			t.Errorf("%s: a step takes %v, with drafts %v", name, target, drafted)
		}
	}
}

func TestStatedDraftTimes(t *testing.T) {
	s := step(sequence{tokens: 1, before: 100, decode: true}, sequence{tokens: 7, before: 0})
	for name, tc := range map[string]struct {
		timer StepTimer
		want  time.Duration
	}{
		"no search":       {WithDraftSearch(constant(time.Millisecond), 0), time.Millisecond},
		"a search":        {WithDraftSearch(constant(time.Millisecond), 15*time.Microsecond), 1030 * time.Microsecond},
		"measured passes": {WithDraftPasses(constant(time.Millisecond), 3, 100*time.Microsecond), 1300 * time.Microsecond},
	} {
		if got := tc.timer.StepTime(s); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
