// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
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
		c := &cycle{scrapes: slices.Repeat([]policy.Scrape{scrape}, len(step.Match)), there: len(step.Match)}
		for _, segment := range step.Segments {
			c.prompt = c.prompt.Append(prompt.Extent{Source: uint64(segment.ID), Tokens: int32(segment.Len)})
		}
		if c.tokens = c.prompt.Tokens(); c.tokens != step.PromptTokens {
			t.Fatalf("%s, step %d: %d tokens, want %d", step.Params, step.Step, c.tokens, step.PromptTokens)
		}
		producer.produce(c)
		want := prefixMatch{blockTokens: step.BlockSizeTokens, totalBlocks: step.TotalBlocks, blocks: step.Match}
		if diff := gocmp.Diff(want, *producer.match, gocmp.AllowUnexported(prefixMatch{})); diff != "" {
			t.Fatalf("%s, step %d (-want +got):\n%s", step.Params, step.Step, diff)
		}
		producer.routed(c, picks{step.RoutedTo, none})
	}
	t.Logf("%d steps compared", len(steps))
	return len(steps)
}

// newApproxPrefix makes a producer with parameters in JSON.
func newApproxPrefix(t *testing.T, parameters string, endpoints int) *approxPrefix {
	t.Helper()
	c := mustLoad(t, "plugins: [{type: approx-prefix-cache-producer, parameters: "+cmp.Or(parameters, "{}")+"}]")
	s := New(c, Cluster{Endpoints: endpoints}, 1)
	return s.producers[0].(*approxPrefix)
}

func TestMatchesWorkedOutByHand(t *testing.T) {
	replayPrefixes(t, filepath.Join("testdata", "approx-prefix.jsonl"))
}

func TestMatchesOfTheRealProducer(t *testing.T) {
	replayPrefixes(t, filepath.Join("testdata", "real", "approx-prefix.jsonl"))
}
