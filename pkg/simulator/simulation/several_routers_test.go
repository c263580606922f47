// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// several puts a random cluster's router and others like it behind one gateway.
func several(config *simulator.Config, n int) []*scatter {
	first := scatterOf(config)
	routers := []*scatter{first}
	all := []policy.Routing{first.routing()}
	for range n - 1 {
		another := *first
		routers = append(routers, &another)
		all = append(all, another.routing())
	}
	config.Policies.Routing = policy.Replicate(all...)
	return routers
}

// Several routers, that hold, hear and listen, see and hear the same from both
// engines; each is told of every scrape that has changed since its own last look.
func TestSeveralRoutersAgainstPlain(t *testing.T) {
	for seed := range int64(400) {
		data := randomChoices(seed, 120, 500)
		n := 2 + int(seed%3)
		config := func() (simulator.Config, []*scatter) {
			c := randomConfigWith(data, features["all"]...)
			return c, several(&c, n)
		}
		plain, told := config()
		want := runPlain(plain)
		fast, heard := config()
		got, err := Run(context.Background(), fast)
		if err != nil {
			t.Fatal(err)
		}
		forgetLinks(got)
		if diff := difference(want, got); diff != "" {
			t.Fatalf("scenario %d: outcome (-plain +got):\n%s", seed, diff)
		}
		for i := range told {
			if diff := cmp.Diff(told[i].log, heard[i].log); diff != "" {
				t.Fatalf("scenario %d: what router %d saw and heard (-plain +got):\n%s", seed, i, diff)
			}
		}
	}
}
