// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	gocmpopts "github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// A prefixStep is one request of a sequence: what each endpoint matches before
// it is routed, and where it is routed to.
type prefixStep struct {
	Params          string
	Metrics         struct{ CacheBlockSize, CacheNumBlocks int }
	Step            int
	Segments        []struct{ ID, Len int }
	PromptTokens    int
	BlockSizeTokens int
	TotalBlocks     int
	Match           []int
	RoutedTo        int
}

// replayPrefixes returns how many steps were compared.
func replayPrefixes(t *testing.T, path string) int {
	t.Helper()
	steps := readLines[prefixStep](t, path)
	var producer *approxPrefix
	for _, step := range steps {
		if step.Step == 0 {
			producer = newApproxPrefix(t, step.Params, len(step.Match))
		}
		scrape := policy.Scrape{BlockTokens: step.Metrics.CacheBlockSize, Blocks: step.Metrics.CacheNumBlocks}
		c := &scheduler.Cycle{Scrapes: slices.Repeat([]policy.Scrape{scrape}, len(step.Match)), Present: len(step.Match)}
		for _, segment := range step.Segments {
			c.Prompt = c.Prompt.Append(prompt.Extent{Source: uint64(segment.ID), Tokens: int32(segment.Len)})
		}
		if c.Tokens = c.Prompt.Tokens(); c.Tokens != step.PromptTokens {
			t.Fatalf("%s, step %d: %d tokens, want %d", step.Params, step.Step, c.Tokens, step.PromptTokens)
		}
		producer.Produce(c)
		want := scheduler.PrefixMatch{BlockTokens: step.BlockSizeTokens, TotalBlocks: step.TotalBlocks, Blocks: step.Match}
		if diff := gocmp.Diff(want, *producer.match, gocmp.AllowUnexported(scheduler.PrefixMatch{}), gocmpopts.IgnoreFields(scheduler.PrefixMatch{}, "Held", "Listed")); diff != "" {
			t.Fatalf("%s, step %d (-want +got):\n%s", step.Params, step.Step, diff)
		}
		producer.Routed(c, scheduler.Picks{Primary: step.RoutedTo, Prefill: scheduler.None})
	}
	t.Logf("%d steps compared", len(steps))
	return len(steps)
}

// newApproxPrefix makes a producer with parameters in JSON.
func newApproxPrefix(t *testing.T, parameters string, endpoints int) *approxPrefix {
	t.Helper()
	c := mustLoad(t, "plugins: [{type: approx-prefix-cache-producer, parameters: "+cmp.Or(parameters, "{}")+"}]")
	s := New(c, config.Cluster{Endpoints: endpoints}, 1)
	return s.Producers[0].(*approxPrefix)
}

func TestMatchesWorkedOutByHand(t *testing.T) {
	replayPrefixes(t, filepath.Join("testdata", "approx-prefix.jsonl"))
}

func TestMatchesOfTheRealProducer(t *testing.T) {
	replayPrefixes(t, filepath.Join("testdata", "real", "approx-prefix.jsonl"))
}
