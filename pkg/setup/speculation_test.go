// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// speculate lets the first pool of a scenario speculate.
func speculate(s v1alpha1.Speculation) func(*v1alpha1.Scenario) {
	return func(in *v1alpha1.Scenario) { in.Pools[0].Engine.Speculation = &s }
}

func eagle() v1alpha1.Speculation {
	return v1alpha1.Speculation{Method: v1alpha1.EAGLESpeculation, Tokens: 2, Acceptance: []v1alpha1.NonNegativeDecimal{"0.8", "0.5"}}
}

func ngram() v1alpha1.Speculation {
	s := eagle()
	s.Method = v1alpha1.NGramSpeculation
	return s
}

// Drafts of a draft model have KV, so that requests have places ahead; a search has none.
func TestSpeculationOfAPool(t *testing.T) {
	mtp := eagle()
	mtp.Method = v1alpha1.MTPSpeculation
	want := simulator.Speculation{Tokens: 2, Lookahead: 2, Acceptance: []float64{0.8, 0.5}}
	for name, s := range map[string]v1alpha1.Speculation{"EAGLE": eagle(), "MTP": mtp} {
		if diff := cmp.Diff(&want, mustBuild(t, speculate(s)).Pools[0].Speculation); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	want.Lookahead = 0
	if diff := cmp.Diff(&want, mustBuild(t, speculate(ngram())).Pools[0].Speculation); diff != "" {
		t.Errorf("NGram (-want +got):\n%s", diff)
	}
	if got := mustBuild(t, func(*v1alpha1.Scenario) {}).Pools[0].Speculation; got != nil {
		t.Errorf("a pool that states none has %+v", got)
	}
}

func TestFaultsOfSpeculation(t *testing.T) {
	type edit func(*v1alpha1.Speculation, *v1alpha1.Pool)
	for name, tc := range map[string]struct {
		edit        edit
		path, fault string
	}{
		"no acceptance": {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Acceptance = nil },
			".acceptance", "state a share for each of the 2 tokens: vllm:spec_decode_num_accepted_tokens_per_pos ÷ vllm:spec_decode_num_drafts"},
		"a share too few":   {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Tokens = 3 }, ".acceptance", "must have one share for each of the 3 tokens"},
		"a share too many":  {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Tokens = 1 }, ".acceptance", "must have one share for each of the 1 tokens"},
		"a rising share":    {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Acceptance[1] = "0.81" }, ".acceptance[1]", "must be at most 0.8, the share of the token before"},
		"a share above 1":   {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Acceptance[0] = "1.01" }, ".acceptance[0]", "must be from 0 to 1"},
		"no method":         {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Method = "" }, ".method", "there are NGram, EAGLE and MTP"},
		"an unknown method": {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Method = "Medusa" }, ".method", `supported values: "NGram", "EAGLE", "MTP"`},
		"no tokens":         {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Tokens = 0 }, ".tokens", "must be from 1 to 16"},
		"too many tokens":   {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.Tokens = 17 }, ".tokens", "must be from 1 to 16"},
		"a draft model of n-grams": {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) {
			*s = ngram()
			s.DraftMicroseconds = "5"
		}, ".draftMicroseconds", "NGram has no draft model: set searchMicroseconds"},
		"a search of a draft model": {func(s *v1alpha1.Speculation, _ *v1alpha1.Pool) { s.SearchMicroseconds = "5" }, ".searchMicroseconds", "goes with method NGram"},
		"another latency model": {func(_ *v1alpha1.Speculation, p *v1alpha1.Pool) { p.Latency.Model = v1alpha1.PhysicsModel },
			"", "goes with latency.model roofline: physics does not say how long a step takes that verifies drafts"},
		"a search beside the step": {func(s *v1alpha1.Speculation, p *v1alpha1.Pool) {
			*s = ngram()
			p.Engine.AsynchronousScheduling = v1alpha1.Enabled
		}, ".method", "NGram excludes asynchronousScheduling: Enabled, as in vLLM"},
	} {
		t.Run(name, func(t *testing.T) {
			s := eagle()
			_, faults := build(t, func(in *v1alpha1.Scenario) {
				in.Pools[0].Engine.Speculation = &s
				tc.edit(&s, &in.Pools[0])
			})
			wantFault(t, faults, "spec.scenario.pools[0].engine.speculation"+tc.path, tc.fault)
		})
	}
}

// A step costs what the target's does, and what drafts cost beside it.
func TestStepTimesOfDrafts(t *testing.T) {
	s := latency.Step{Sequences: 3, DecodeTokens: 9, SampledTokens: 9, ContextTokens: 300, AttentionPairs: 900, DecodePairs: 900, DraftPairs: 600}
	target := mustBuild(t, func(*v1alpha1.Scenario) {}).Pools[0].Timer.StepTime(s)
	stated, searched := eagle(), ngram()
	stated.DraftMicroseconds, searched.SearchMicroseconds = "150", "20"
	for name, tc := range map[string]struct {
		speculation v1alpha1.Speculation
		want        time.Duration
	}{
		"two passes that were measured": {stated, 300 * time.Microsecond},
		"a search for three requests":   {searched, 60 * time.Microsecond},
		"a search":                      {ngram(), 0},
	} {
		if got := mustBuild(t, speculate(tc.speculation)).Pools[0].Timer.StepTime(s) - target; got != tc.want {
			t.Errorf("%s: drafts take %v, want %v", name, got, tc.want)
		}
	}
	b := buildValid(t, speculate(eagle()))
	instance, errs := buildInstance(&b.in.Pools[0], latency.Builtin(), field.NewPath("pool"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	c := instance.DefaultRoofline()
	if got, want := b.config.Pools[0].Timer.StepTime(s), instance.WithDraftModel(instance.Roofline(c), c, 2).StepTime(s); got != want || got <= target {
		t.Errorf("a step with drafts of a model takes %v, want %v, more than %v", got, want, target)
	}
}

// The layer of a draft model has weights and KV: Llama-3.1-8B has 32 layers, and a block
// then has 33 of them.
func TestMemoryOfDrafts(t *testing.T) {
	without, searched, drafted := mustBuild(t, func(*v1alpha1.Scenario) {}).Pools[0], mustBuild(t, speculate(ngram())).Pools[0], mustBuild(t, speculate(eagle())).Pools[0]
	if searched.KVBlocks != without.KVBlocks || searched.BlockBytes != without.BlockBytes {
		t.Errorf("a search leaves %d blocks of %d bytes, want %d of %d", searched.KVBlocks, searched.BlockBytes, without.KVBlocks, without.BlockBytes)
	}
	if drafted.BlockBytes*32 != without.BlockBytes*33 || drafted.KVBlocks*33 >= without.KVBlocks*32 {
		t.Errorf("a draft model leaves %d blocks of %d bytes, of %d of %d", drafted.KVBlocks, drafted.BlockBytes, without.KVBlocks, without.BlockBytes)
	}
	stated := mustBuild(t, func(in *v1alpha1.Scenario) {
		speculate(eagle())(in)
		in.Pools[0].KVCache.Blocks = ptr.To[int32](500)
	}).Pools[0]
	if stated.ReportedBlocks != 500 {
		t.Errorf("%d blocks, 500 are stated", stated.ReportedBlocks)
	}
}

// vLLM searches drafts in the tokens of the step before, and schedules between steps then.
func TestSearchesAreSynchronous(t *testing.T) {
	for want, s := range map[bool]v1alpha1.Speculation{false: ngram(), true: eagle()} {
		got := mustBuild(t, func(in *v1alpha1.Scenario) {
			speculate(s)(in)
			in.Pools[0].Engine.Version = "0.15"
		}).Pools[0].AsynchronousScheduling
		if got != want {
			t.Errorf("%s schedules asynchronously: %v, want %v", s.Method, got, want)
		}
	}
}

func TestProvenanceOfDraftTimes(t *testing.T) {
	stated, searched := eagle(), ngram()
	stated.DraftMicroseconds, searched.SearchMicroseconds = "150", "20"
	for want, s := range map[string]v1alpha1.Speculation{
		"; drafts: a roofline of one layer and the LM head for each token": eagle(),
		"; drafts: 150 µs for each token, given by you":                    stated,
		"; drafts: a search of 20 µs for each request, given by you":       searched,
		"; drafts: a search that takes no time":                            ngram(),
	} {
		if got := draftTimes(&v1alpha1.Pool{Engine: v1alpha1.Engine{Speculation: &s}}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := draftTimes(&v1alpha1.Pool{}); got != "" {
		t.Errorf("a pool without drafts: %q", got)
	}
}
