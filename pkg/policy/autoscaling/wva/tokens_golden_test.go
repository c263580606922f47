// SPDX-License-Identifier: Apache-2.0

package wva_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// tokensAnswer is what the real analyser by tokens said of a model, step after step.
type tokensAnswer struct {
	Config wva.TokensConfig
	Steps  []struct {
		Variants []wva.Variant
		Queue    wva.Queue
	}
	Want []wva.TokensAnalysis
}

func TestTheAnalyserByTokensDecidesTheSame(t *testing.T) {
	seen := map[string]int{}
	answers := realcode.Answers[tokensAnswer](t, "testdata/answers_tokens.json.gz")
	for i, a := range answers {
		analyser := wva.NewTokens(a.Config)
		for k := range a.Steps {
			step := &a.Steps[k]
			got := analyser.Decide(step.Variants, step.Queue)
			if diff := cmp.Diff(a.Want[k], got); diff != "" {
				t.Fatalf("sequence %d, step %d, %+v of %+v (−real +here):\n%s", i, k, a.Config, step, diff)
			}
			count(seen, step.Variants, a.Config.Limits != nil, &got)
		}
	}
	t.Logf("compared %d answers: %v", seen["all"], seen)
	for _, kind := range []string{
		"up", "down", "none", "limited up", "prefill up", "decode up", "several engines a replica",
		"P1-obs", "P2-hist", "P3-k2", "P4-k1", "P0-store",
	} {
		if seen[kind] < 20 {
			t.Errorf("%d answers are of kind %s, want at least 20", seen[kind], kind)
		}
	}
}

// count counts the kinds of a decision.
func count(seen map[string]int, variants []wva.Variant, limited bool, d *wva.TokensAnalysis) {
	kinds := []string{"all"}
	for i := range variants {
		v, a := &variants[i], &d.Variants[i]
		kinds = append(kinds, string(a.Source))
		switch {
		case a.Target > v.Current && limited:
			kinds = append(kinds, "limited up")
		case a.Target > v.Current:
			kinds = append(kinds, "up", v.Role+" up")
		case a.Target < v.Current:
			kinds = append(kinds, "down")
		default:
			kinds = append(kinds, "none")
		}
		if len(v.Engines) > v.Current {
			kinds = append(kinds, "several engines a replica")
		}
	}
	slices.Sort(kinds)
	for _, kind := range slices.Compact(kinds) {
		seen[kind]++
	}
}
