// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// fewestOf goes to the endpoint with the fewest scraped requests, and writes down what
// it sees.
type fewestOf struct{ log []string }

func (f *fewestOf) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	line := fmt.Sprintf("%d at %d:", q.ID, v.Now)
	for _, s := range v.Scrapes {
		line += fmt.Sprintf(" %d as of %d", loadOf(s), s.At)
	}
	f.log = append(f.log, line)
	return toFewest{}.Route(v, q)
}

// Two requests arrive at once, one at the time at which the first step ends and one
// after it. With scrapes once a second nothing of that shows.
func TestARouterSeesLiveReplicasAsTheyAre(t *testing.T) {
	for name, tc := range map[string]struct {
		live bool
		want []string
	}{
		"scraped": {false, []string{"0 at 5: 0 as of 0 0 as of 0", "1 at 5: 0 as of 0 0 as of 0", "2 at 15: 0 as of 0 0 as of 0", "3 at 16: 0 as of 0 0 as of 0"}},
		"live":    {true, []string{"0 at 5: 0 as of 5 0 as of 5", "1 at 5: 1 as of 5 0 as of 5", "2 at 15: 1 as of 15 1 as of 15", "3 at 16: 1 as of 16 0 as of 16"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8})
			source := &script{}
			for id, at := range []simtime.Time{5, 5, 15, 16} {
				source.requests = append(source.requests, workload.Request{ID: id, Arrival: at, Prompt: text, OutputTokens: 1})
			}
			router := &fewestOf{}
			_, err := Run(context.Background(), simulator.Config{
				Pools: []simulator.Pool{{Replicas: 2, Live: tc.live, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 8, MaxNumBatchedTokens: 100}},
				// The phases of this seed are after the last arrival.
				Policies: policy.RoutedBy(router), ScrapeInterval: time.Second, Seed: 1,
				Source: source, Horizon: simulator.Horizon{Drain: time.Hour}, CheckInvariants: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, router.log); diff != "" {
				t.Errorf("what the router saw (−want +got):\n%s", diff)
			}
		})
	}
}
