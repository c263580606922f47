// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// routedCluster is a random cluster whose requests a route divides among routers.
type routedCluster struct {
	simulator.Config
	route   route.Config
	routers []*scatter
	orders  *heardOrders
}

// randomlyRouted makes a random cluster of two or three pools. Each router has one, or the first one
// has two.
func randomlyRouted(data []byte, features ...feature) *routedCluster {
	var c routedCluster
	c.Config = randomConfigWith(data, append([]feature{randomRouters}, features...)...)
	chance := choices(data)
	c.route = randomRoute(&chance, c.Routers())
	c.Route = route.New(&c.route, c.Seed)
	c.divide()
	return &c
}

// randomRouters gives the pools routers of their own.
func randomRouters(c *choices, config *simulator.Config) {
	for len(config.Pools) < 2 || len(config.Pools) < 3 && c.pick(2) == 0 {
		config.Pools = append(config.Pools, randomPool(c))
	}
	routers := 2 + c.pick(len(config.Pools)-1)
	for i := range config.Pools {
		config.Pools[i].Router = max(0, routers-len(config.Pools)+i)
	}
}

// poolsByRouter are the pools of each router.
func poolsByRouter(config *simulator.Config) [][]int {
	pools := make([][]int, config.Routers())
	for i := range config.Pools {
		at := config.Pools[i].Router
		pools[at] = append(pools[at], i)
	}
	return pools
}

// randomRoute has rules for some models and headers, and a router for each model without one.
// Routers give the models of some requests adapters, or the base model.
func randomRoute(c *choices, routers int) route.Config {
	names := []string{"base", "one", "two"}
	config := route.Config{
		Only: []int{0, c.pick(routers), c.pick(routers)}, Models: names,
		Adapters: []string{"a", "b", "c", "d", "e"},
		Headers:  []map[string]string{{"X-Canary": "always"}, {"x-canary": "never"}, {"x-canary": "always", "x-team": "red"}},
	}
	model := func() string { return append(names, "", "a", "b")[c.pick(6)] }
	for range c.pick(4) {
		config.Rules = append(config.Rules, route.Rule{
			Model: model(), Headers: []map[string]string{nil, {"x-canary": "always"}, {"X-TEAM": "red"}}[c.pick(3)], Routers: randomShares(c, routers),
		})
	}
	for range routers {
		var rewrites []route.Rewrite
		for range c.pick(3) {
			rewrites = append(rewrites, route.Rewrite{Model: model(), Models: randomShares(c, len(config.Adapters)+1)})
		}
		config.Rewrites = append(config.Rewrites, rewrites)
	}
	return config
}

// randomShares are those of some choices, of which at least one has a weight.
func randomShares(c *choices, n int) []route.Share {
	shares := []route.Share{{Index: c.pick(n), Weight: 1 + int32(c.pick(9))}}
	for index := range n {
		if index != shares[0].Index && c.pick(2) == 0 {
			shares = append(shares, route.Share{Index: index, Weight: int32(c.pick(9))})
		}
	}
	return shares
}

// divide gives each router policies of its own.
func (c *routedCluster) divide() {
	c.orders = &scatterOf(&c.Config).orders
	var all []policy.RouterPolicies
	first := 0
	for _, pools := range poolsByRouter(&c.Config) {
		router := *scatterOf(&c.Config)
		of := policy.RouterPolicies{Policies: c.Policies, First: first}
		of.Routing = router.routing()
		if b, ok := of.Admission.(*bouncer); ok {
			own := *b
			own.router, of.Admission = &router, &own
		}
		if of.Traffic != nil {
			of.Traffic = policy.NewTraffic(2, 2, 50*time.Nanosecond)
		}
		for _, pool := range pools {
			of.Endpoints += c.Pools[pool].Places()
		}
		for i := range c.Scaling {
			if c.Scaling[i].Router == len(all) {
				c.Scaling[i].Scaler.(*moody).router = &router
			}
		}
		first += of.Endpoints
		c.routers, all = append(c.routers, &router), append(all, of)
	}
	c.Policies = policy.ByRouter(all...)
}

// Each router of a route sees and hears the same from both engines, and has the same requests.
func TestRoutesAgainstPlain(t *testing.T) {
	const clusters = 200
	for _, with := range []string{
		"adapters", "all", "admission, all", "exports, all", "live, all", "scaling", "scaling, all", "ranks, all", "time-outs, all", "speculation, all",
	} {
		divided := 0
		for seed := range int64(clusters) {
			data := randomChoices(seed, 150, 500)
			plain, fast := randomlyRouted(data, features[with]...), randomlyRouted(data, features[with]...)
			plain.Route = plainRoute{plain.route, plain.Seed}
			want := runPlain(plain.Config)
			fast.CheckInvariants = seed%2 == 0
			got, err := Run(context.Background(), fast.Config)
			if err != nil {
				t.Fatal(err)
			}
			forgetLinks(got)
			if diff := difference(want, got); diff != "" {
				t.Fatalf("%s: scenario %d: outcome (-plain +got):\n%s", with, seed, diff)
			}
			if diff := cmp.Diff(heardOf(&plain.Config), heardOf(&fast.Config)); diff != "" {
				t.Fatalf("%s: scenario %d: what the source heard (-plain +got):\n%s", with, seed, diff)
			}
			if diff := cmp.Diff(plain.orders.lines(), fast.orders.lines()); diff != "" {
				t.Fatalf("%s: scenario %d: what the schedulers heard (-plain +got):\n%s", with, seed, diff)
			}
			for i := range plain.routers {
				if diff := cmp.Diff(plain.routers[i].log, fast.routers[i].log); diff != "" {
					t.Fatalf("%s: scenario %d: what router %d saw and heard (-plain +got):\n%s", with, seed, i, diff)
				}
			}
			if !slices.ContainsFunc(fast.routers, func(r *scatter) bool { return len(r.log) == 0 }) {
				divided++
			}
		}
		if divided < clusters/4 {
			t.Errorf("%s: each router has requests in %d of %d clusters only", with, divided, clusters)
		}
	}
}
