// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// aloneOf is a random cluster of one model that ends at a time of its own choice.
func aloneOf(data []byte, shared simulator.Config) simulator.Config {
	c := randomConfigWith(data, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomExports, randomLive)
	c.Seed, c.Targets, c.Horizon, c.Handoff = shared.Seed, shared.Targets, shared.Horizon, shared.Handoff
	c.TenantTargets = shared.TenantTargets
	if shared.Seed%2 == 0 {
		c.ScrapeInterval = shared.ScrapeInterval
	}
	return c
}

// byTurn has a router that looks at IDs see the request's Turn instead, which is the ID
// that the request has where its model is alone.
type byTurn struct {
	*scatter
	ids map[int]int // by turn
}

func (r byTurn) renumbered(q *policy.Request) *policy.Request {
	own := *q
	own.ID, r.ids[q.Turn] = q.Turn, q.ID
	return &own
}

func (r byTurn) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	return r.scatter.Route(v, r.renumbered(q))
}

func (r byTurn) Release(v *policy.View) (policy.Released, bool) {
	released, ok := r.scatter.Release(v)
	released.Request = r.ids[released.Request]
	return released, ok
}

func (r byTurn) Cancel(now simtime.Time, q *policy.Request) { r.scatter.Cancel(now, r.renumbered(q)) }

func (r byTurn) FirstToken(q *policy.Request, endpoint int) {
	r.scatter.FirstToken(r.renumbered(q), endpoint)
}

func (r byTurn) FirstTokenAt(at simtime.Time, q *policy.Request) {
	r.scatter.FirstTokenAt(at, r.renumbered(q))
}

func (r byTurn) Used(at simtime.Time, q *policy.Request, tokens int) {
	r.scatter.Used(at, r.renumbered(q), tokens)
}

func (r byTurn) Finished(q *policy.Request, endpoint int) {
	r.scatter.Finished(r.renumbered(q), endpoint)
}

func (r byTurn) routing() policy.Routing {
	all := r.scatter.routing()
	all.Router = r
	if all.Responses != nil {
		all.Responses, all.FirstTokens, all.Usage = r, r, r
	}
	if all.Queue != nil {
		all.Queue = r
	}
	return all
}

// together puts clusters of one model each behind one gateway.
func together(alone ...simulator.Config) simulator.Config {
	all := alone[0]
	all.Pools, all.Disruptions = nil, nil
	source := &script{labels: workload.Labels{Tenants: []string{"t", "u"}, Classes: []string{"c", "d"}}}
	var models []policy.RouterPolicies
	routerOf, first := []int{0}, 0
	for i := range alone {
		c := &alone[i]
		endpoints := 0
		for _, p := range c.Pools {
			p.Router, p.ScrapeInterval = i, c.ScrapeInterval
			all.Pools = append(all.Pools, p)
			endpoints += p.Places()
		}
		for _, d := range c.Disruptions {
			d.Endpoint += first
			all.Disruptions = append(all.Disruptions, d)
		}
		for _, r := range c.Source.(*script).requests {
			r.Model = i + 1
			source.requests = append(source.requests, r)
		}
		source.labels.Models = append(source.labels.Models, "model")
		router := byTurn{scatterOf(c), map[int]int{}}
		models = append(models, policy.RouterPolicies{Policies: policy.Policies{Routing: router.routing()}, First: first, Endpoints: endpoints})
		routerOf, first = append(routerOf, i), first+endpoints
	}
	slices.SortStableFunc(all.Disruptions, func(a, b simulator.Disruption) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(source.requests, func(a, b workload.Request) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for id := range source.requests {
		source.requests[id].ID = id
	}
	all.Source, all.Policies, all.RouterOf = source, policy.ByRouter(models...), routerOf
	return all
}

// cellsOf are the cells of a model, as they are where the model is alone.
func cellsOf(o *simulator.Result, model, pools, from int) []simulator.Cell {
	cells := []simulator.Cell{}
	for _, c := range o.Cells {
		if c.Model != model || c.Pool != simulator.NoPool && (c.Pool < from || c.Pool >= from+pools) {
			continue
		}
		if c.Model = 0; c.Pool != simulator.NoPool {
			c.Pool -= from
		}
		cells = append(cells, c)
	}
	return cells
}

// allThere is how a log says that no endpoint is down, once one of the cluster was.
var allThere = regexp.MustCompile(`without \[(false ?)+\]`)

func logOf(c *simulator.Config) []string {
	lines := slices.Clone(scatterOf(c).log)
	for i := range lines {
		lines[i] = allThere.ReplaceAllString(lines[i], "without []")
	}
	return lines
}

// Two models that share nothing but the gateway behave as they do alone: their routers
// see and hear the same, and their requests have the same figures.
func TestModelsTogetherAndAlone(t *testing.T) {
	for seed := range int64(200) {
		shared := randomConfigWith(randomChoices(seed+5000, 60, 60), randomHandoffs)
		shared.Horizon = simulator.Horizon{Duration: time.Duration(50 + seed), WarmUp: shared.Horizon.WarmUp, Drain: time.Hour}
		clusters := func() []simulator.Config {
			return []simulator.Config{aloneOf(randomChoices(seed, 120, 500), shared), aloneOf(randomChoices(seed+1000, 120, 500), shared)}
		}
		alone, parts := clusters(), clusters()
		if alone[0].Handoff != alone[1].Handoff {
			t.Fatalf("scenario %d: clusters that share more than the gateway", seed)
		}
		got, err := Run(context.Background(), together(parts...))
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for i := range alone {
			want, err := Run(context.Background(), alone[i])
			if err != nil {
				t.Fatal(err)
			}
			pools := len(alone[i].Pools)
			if diff := gocmp.Diff(want.Cells, cellsOf(got, i+1, pools, from), everyField); diff != "" {
				t.Fatalf("scenario %d: cells of model %d (−alone +together):\n%s", seed, i, diff)
			}
			if diff := gocmp.Diff(logOf(&alone[i]), logOf(&parts[i])); diff != "" {
				t.Fatalf("scenario %d: what the router of model %d saw and heard (−alone +together):\n%s", seed, i, diff)
			}
			from += pools
		}
	}
}
