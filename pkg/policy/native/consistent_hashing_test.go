// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
)

func hashing(parameters map[string]string) Spec {
	return Spec{Policy: "consistent-hashing", Parameters: parameters}
}

// unbounded is a load factor that no endpoint reaches.
const unbounded = "1000000"

func TestKeysStayTogether(t *testing.T) {
	keep := func(q policy.Request) *policy.Request { return &q }
	long, other := request(0, text(1, 256), text(2, 100)), request(0, text(1, 255), text(3, 100))
	for name, tc := range map[string]struct {
		key  string
		a, b *policy.Request
		same bool
	}{
		"one session":                   {"session", keep(policy.Request{ID: 1, Session: 7}), keep(policy.Request{ID: 2, Session: 7, Tenant: 3}), true},
		"two sessions":                  {"session", keep(policy.Request{ID: 1, Session: 7}), keep(policy.Request{ID: 1, Session: 8}), false},
		"no session":                    {"session", keep(policy.Request{ID: 1}), keep(policy.Request{ID: 2}), false},
		"no session, as in session 1":   {"session", keep(policy.Request{ID: 1}), keep(policy.Request{Session: 1}), false},
		"one tenant":                    {"tenant", keep(policy.Request{ID: 1, Tenant: 3}), keep(policy.Request{ID: 2, Tenant: 3, Session: 1}), true},
		"two tenants":                   {"tenant", keep(policy.Request{ID: 1, Tenant: 3}), keep(policy.Request{ID: 1, Tenant: 4}), false},
		"one beginning":                 {"prefix", long, request(9, text(1, 300)), true},
		"a beginning that is too short": {"prefix", long, other, false},
		"a short prompt":                {"prefix", request(0, text(1, 100)), request(1, text(1, 100)), true},
		"a longer prompt":               {"prefix", request(0, text(1, 100)), request(1, text(1, 101)), false},
		"no prompt":                     {"prefix", request(0), request(1), true},
	} {
		t.Run(name, func(t *testing.T) {
			// One pair of keys may meet by chance; 20 rings do not.
			together := 0
			for seed := range int64(20) {
				r := mustSeed(t, hashing(map[string]string{"key": tc.key, "loadFactor": unbounded}), 10, seed)
				v := view(make([]policy.Scrape, 10)...)
				if route(t, r, v, tc.a) == route(t, r, v, tc.b) {
					together++
				}
			}
			if tc.same != (together == 20) {
				t.Errorf("together on %d of 20 rings", together)
			}
		})
	}
}

// An endpoint that goes moves its own keys and no other, and gets them back.
func TestOnlyKeysOfAnEndpointThatIsGoneMove(t *testing.T) {
	const endpoints, keys = 8, 2000
	r := mustNew(t, hashing(map[string]string{"loadFactor": unbounded}), endpoints)
	at := func(gone ...int) []int {
		v := view(make([]policy.Scrape, endpoints)...)
		v.Down = make([]bool, endpoints)
		for _, e := range gone {
			v.Down[e] = true
		}
		var all []int
		for key := range keys {
			q := &policy.Request{Session: int32(key + 1)}
			e := route(t, r, v, q)
			r.Finished(q, e)
			all = append(all, e)
		}
		return all
	}
	before := at()
	for _, gone := range [][]int{{3}, {0, 7}, {1, 2, 3, 4, 5, 6}} {
		moved := make([]int, endpoints)
		for key, e := range at(gone...) {
			switch {
			case slices.Contains(gone, e):
				t.Fatalf("key %d is on endpoint %d, which is gone", key, e)
			case !slices.Contains(gone, before[key]) && e != before[key]:
				t.Fatalf("key %d has moved from endpoint %d to %d without %v", key, before[key], e, gone)
			case e != before[key]:
				moved[e]++
			}
		}
		for e, n := range moved {
			if n == 0 && !slices.Contains(gone, e) {
				t.Errorf("without %v no key went to endpoint %d", gone, e)
			}
		}
	}
	same(t, "back again", before, at())
}

// No endpoint ever has more requests than its bound, and only a full endpoint loses requests.
func TestLoadsAreBounded(t *testing.T) {
	const endpoints = 5
	for _, factor := range []string{"1", "1.25", "2"} {
		r := mustNew(t, hashing(map[string]string{"loadFactor": factor}), endpoints)
		free := mustNew(t, hashing(map[string]string{"loadFactor": unbounded}), endpoints)
		rng, v := rand.New(rand.NewPCG(1, 2)), view(make([]policy.Scrape, endpoints)...)
		var running []int
		for id := range 4000 {
			q := &policy.Request{ID: id, Session: 1 + rng.Int32N(12)}
			home := route(t, free, v, q)
			before := slices.Clone(r.inFlight)
			e := route(t, r, v, q)
			running = append(running, e)
			room := int(math.Ceil(r.chooser.(*consistentHashing).loadFactor * float64(len(running)) / endpoints))
			if r.inFlight[e] > room {
				t.Fatalf("factor %s: %d requests on endpoint %d, at most %d of %d", factor, r.inFlight[e], e, room, len(running))
			}
			if e != home && before[home] < room {
				t.Fatalf("factor %s: a request has left endpoint %d with %d of %d requests", factor, home, before[home], room)
			}
			for len(running) > 0 && rng.IntN(40) < len(running) {
				i := rng.IntN(len(running))
				r.Finished(q, running[i])
				running = slices.Delete(running, i, i+1)
			}
		}
	}
}

// With many points each endpoint has about as many keys.
func TestPointsSpreadKeys(t *testing.T) {
	spread := func(nodes string) float64 {
		const endpoints, keys = 10, 20_000
		r := mustNew(t, hashing(map[string]string{"loadFactor": unbounded, "virtualNodes": nodes}), endpoints)
		v, counts := view(make([]policy.Scrape, endpoints)...), make([]int, endpoints)
		for key := range keys {
			counts[route(t, r, v, &policy.Request{Session: int32(key + 1)})]++
		}
		return float64(slices.Max(counts)) / (keys / endpoints)
	}
	if few, many := spread("1"), spread("1000"); many > 1.15 || few < 1.5 {
		t.Errorf("the most keys of an endpoint are %.2f of the mean with 1 point, want more than 1.5, and %.2f with 1000, want at most 1.15", few, many)
	}
}

// Routers of one scenario have the same ring, and each seed has another one.
func TestReplicasShareARing(t *testing.T) {
	c, errs := Load(hashing(map[string]string{"loadFactor": unbounded}), field.NewPath("routing"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	v := view(make([]policy.Scrape, 10)...)
	where := func(r *Router) []int {
		var all []int
		for key := range 50 {
			all = append(all, route(t, r, v, &policy.Request{Session: int32(key + 1)}))
		}
		return all
	}
	replicas := NewReplicas(c, 10, 2, 1, nil)
	first := where(replicas[0])
	same(t, "the second router", first, where(replicas[1]))
	if slices.Equal(first, where(New(c, 10, 2))) {
		t.Error("seeds 1 and 2 have the same ring")
	}
}
