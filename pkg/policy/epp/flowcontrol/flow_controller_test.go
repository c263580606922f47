// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// a request of a story: it comes at a millisecond; or, with level set, how
// saturated the pool is from then on, or with left, that no endpoint is.
type happening struct {
	at       float64 // ms
	id       int
	tenant   int
	priority int
	tokens   int
	ttft     time.Duration
	level    float64
	gone     bool
}

const (
	full = 1.0
	free = 0.5
)

// TestFlowControl tells stories: what happens, and who leaves the gateway when.
func TestFlowControl(t *testing.T) {
	for name, tc := range map[string]struct {
		section string
		of      version.Release
		limit   usageLimit
		events  []happening
		until   simtime.Time // ms
		want    []string
	}{
		"who comes while there is room goes at once": {
			events: []happening{{at: 3, id: 1, level: free}, {at: 3, id: 2}},
			want:   []string{"3ms 1", "3ms 2"},
		},
		"one request a cycle goes, and there is one each millisecond": {
			events: []happening{{at: 1, id: 1, level: full}, {at: 1, id: 2}, {at: 1, id: 3}, {at: 5, id: 4, level: free}},
			// Request 4 comes with the tick: two cycles.
			until: 10, want: []string{"5ms 1", "5ms 2", "6ms 3", "7ms 4"},
		},
		"a saturated band blocks those below it, who might go by their own ceilings": {
			limit:  ceilingsOf{0.5, 1},
			events: []happening{{at: 1, id: 1, priority: 1, level: 0.7}, {at: 2, id: 2}, {at: 9, level: 0.4}},
			until:  20, want: []string{"9ms 1", "10ms 2"},
		},
		"an empty band above blocks them too, where it has reached its ceiling": {
			section: "{priorityBands: [{priority: 1}]}", limit: ceilingsOf{0.5, 1},
			events: []happening{{at: 1, id: 1, level: 0.7}, {at: 4, level: 0.4}},
			until:  20, want: []string{"4ms 1"},
		},
		"higher priorities go first, and lower ones have lower ceilings": {
			limit: priorityHoldbackLimit{least: 0.2, greatest: 1},
			events: []happening{
				{at: 1, id: 1, priority: -1, level: full}, {at: 1, id: 2}, {at: 1, id: 3, priority: 5}, {at: 1, id: 4, priority: 5},
				{at: 5, level: 0.5}, {at: 12, level: 0.1},
			},
			until: 20, want: []string{"5ms 3", "6ms 4", "7ms 2", "12ms 1"},
		},
		"a band takes so many requests, and others are turned away": {
			section: "{defaultPriorityBand: {maxRequests: 2}, priorityBands: [{priority: 1, maxRequests: 1}]}",
			events: []happening{
				{at: 1, id: 1, level: full}, {at: 1, id: 2}, {at: 1, id: 3}, {at: 1, id: 4, priority: 1}, {at: 1, id: 5, priority: 1},
				{at: 2, level: free}, {at: 4, id: 6},
			},
			until: 20, want: []string{"1ms 3: " + fullText, "1ms 5: " + fullText, "2ms 4", "3ms 1", "4ms 2", "4ms 6"},
		},
		"bytes count, four a token, and a smaller one still fits": {
			section: "{defaultPriorityBand: {maxBytes: 1k}}",
			events:  []happening{{at: 1, id: 1, tokens: 200, level: full}, {at: 1, id: 2, tokens: 51}, {at: 1, id: 3, tokens: 50}},
			want:    []string{"1ms 2: " + fullText},
		},
		"all bands together have a cap": {
			section: "{maxRequests: 2}",
			events:  []happening{{at: 1, id: 1, level: full}, {at: 1, id: 2, priority: 3}, {at: 1, id: 3, priority: 7}},
			want:    []string{"1ms 3: " + fullText},
		},
		"negative priorities have a template of their own": {
			section: "{defaultPriorityBand: {maxRequests: 3}, defaultNegativePriorityBand: {maxRequests: 1}}",
			events:  []happening{{at: 1, id: 1, priority: -1, level: full}, {at: 1, id: 2, priority: -1}, {at: 1, id: 3, priority: -2}, {at: 1, id: 4}, {at: 1, id: 5}},
			want:    []string{"1ms 2: " + fullText},
		},
		"who has waited for the TTL is given up by the next sweep": {
			section: "{defaultRequestTTL: 1500ms}",
			events:  []happening{{at: 400, id: 1, level: full}, {at: 600, id: 2}},
			// 1 is due at 1.9s and 2 at 2.1s.
			until: 4000, want: []string{"2s 1: " + expiredText, "3s 2: " + expiredText},
		},
		"up to v0.10 it is given up when its time has come": {
			section: "{defaultRequestTTL: 1500ms}", of: version.Router10,
			events: []happening{{at: 400, id: 1, level: full}, {at: 600, id: 2}},
			until:  4000, want: []string{"1.9s 1: " + expiredText, "2.1s 2: " + expiredText},
		},
		"and takes a place, and a cycle, until the sweep": {
			section: "{defaultRequestTTL: 500ms, defaultPriorityBand: {maxRequests: 2}}", of: version.Router10,
			events: []happening{
				{at: 100, id: 1, level: full}, {at: 300, id: 2}, {at: 650, id: 3}, {at: 700, level: free},
			},
			until: 900, want: []string{"600ms 1: " + expiredText, "650ms 3: " + fullText, "701ms 2"},
		},
		"requests wait for 60s by default": {
			events: []happening{{at: 1, id: 1, level: full}},
			until:  90000, want: []string{"1m1s 1: " + expiredText},
		},
		"before v0.10 they wait as long as it takes": {
			of:     version.Router09,
			events: []happening{{at: 1, id: 1, level: full}, {at: 70000, level: free}},
			until:  90000, want: []string{"1m10s 1"},
		},
		"a band's own TTL takes the place of that of all": {
			section: "{defaultRequestTTL: 2s, priorityBands: [{priority: -1, defaultRequestTTL: 9s}, {priority: 3, defaultRequestTTL: 0s}]}",
			of:      version.Router11,
			events:  []happening{{at: 400, id: 1, level: full}, {at: 400, id: 2, priority: -1}, {at: 400, id: 3, priority: 3}},
			until:   20000, want: []string{"3s 1: " + expiredText, "10s 2: " + expiredText},
		},
		"0s is for ever": {
			section: "{defaultRequestTTL: 0s}",
			events:  []happening{{at: 1, id: 1, level: full}, {at: 70000, level: free}},
			until:   90000, want: []string{"1m10s 1"},
		},
		"without endpoints another TTL holds, and each change begins afresh": {
			section: "{defaultRequestTTL: 2s, noEndpointRequestTTL: 5s}",
			events:  []happening{{at: 500, id: 1, level: full, gone: true}, {at: 4700, level: full}, {at: 4800, id: 2}},
			// By its age 1 was due at 2.5s; there are endpoints since 4.7s.
			until: 9000, want: []string{"7s 1: " + expiredText, "7s 2: " + expiredText},
		},
		"given up without endpoints": {
			section: "{defaultRequestTTL: 9s, noEndpointRequestTTL: 1s}",
			events:  []happening{{at: 500, id: 1, level: full, gone: true}},
			until:   9000, want: []string{"2s 1: " + policy.ErrNoEndpoint.Error()},
		},
		"the oldest goes first, of whichever tenant": {
			events: []happening{{at: 1, id: 1, tenant: 2, level: full}, {at: 2, id: 2, tenant: 1}, {at: 3, id: 3, tenant: 2}, {at: 4, level: free}},
			until:  20, want: []string{"4ms 1", "5ms 2", "6ms 3"},
		},
		"tenants take turns": {
			section: "{defaultPriorityBand: {fairnessPolicyRef: round-robin-fairness-policy}}",
			events: []happening{
				{at: 1, id: 1, tenant: 2, level: full}, {at: 1, id: 2, tenant: 2}, {at: 1, id: 3, tenant: 2}, {at: 2, id: 4, tenant: 1}, {at: 2, id: 5, tenant: 1},
				{at: 4, level: free},
			},
			until: 20, want: []string{"4ms 4", "5ms 1", "6ms 5", "7ms 2", "8ms 3"},
		},
		"turns begin again when nobody has waited for a tick": {
			section: "{defaultPriorityBand: {fairnessPolicyRef: round-robin-fairness-policy}}",
			events: []happening{
				{at: 1, id: 1, tenant: 1, level: free},
				{at: 3, id: 2, tenant: 2, level: full}, {at: 3, id: 3, tenant: 1}, {at: 4, level: free},
			},
			until: 20, want: []string{"1ms 1", "4ms 3", "5ms 2"},
		},
		"turns go on where no tick was": {
			section: "{defaultPriorityBand: {fairnessPolicyRef: round-robin-fairness-policy}}",
			events:  []happening{{at: 1.1, id: 1, tenant: 1, level: free}, {at: 1.2, id: 2, tenant: 2, level: full}, {at: 1.3, id: 3, tenant: 1}, {at: 2, level: free}},
			until:   20, want: []string{"1.1ms 1", "2ms 2", "3ms 3"},
		},
		"up to v1.4 a flow has its turn though it is blocked": {
			section: "{defaultPriorityBand: {fairnessPolicyRef: round-robin-fairness-policy}}", of: version.GIE14,
			events: []happening{{at: 1.1, id: 1, tenant: 1, level: full}, {at: 1.2, id: 2, tenant: 2}, {at: 1.3, id: 3, tenant: 2}, {at: 2, level: free}},
			// The turns before: 1, 2, 1.
			until: 20, want: []string{"2ms 2", "3ms 1", "4ms 3"},
		},
		"deadlines of promised first tokens": {
			section: "{defaultPriorityBand: {orderingPolicyRef: slo-deadline-ordering-policy}}",
			events: []happening{
				{at: 1, id: 1, level: full}, {at: 2, id: 2, ttft: 900 * time.Millisecond}, {at: 3, id: 3, ttft: 100 * time.Millisecond}, {at: 4, id: 4},
				{at: 5, level: free},
			},
			until: 20, want: []string{"5ms 3", "6ms 2", "7ms 1", "8ms 4"},
		},
		"with one TTL for all, deadlines are in the order of arrival": {
			section: "{defaultPriorityBand: {orderingPolicyRef: edf-ordering-policy}}",
			events:  []happening{{at: 1, id: 1, level: full}, {at: 2, id: 2, ttft: time.Millisecond}, {at: 3, level: free}},
			until:   20, want: []string{"3ms 1", "4ms 2"},
		},
		"the tenant that was served least goes first": {
			section: "{defaultPriorityBand: {fairnessPolicyRef: program-aware-fairness}}",
			events: []happening{
				{at: 1, id: 1, tenant: 8, level: full}, {at: 1, id: 2, tenant: 9}, {at: 2, level: free},
			},
			until: 20, want: []string{"2ms 2", "3ms 1"}, // the bench has served 8
		},
		"v1.2 sheds before it queues, and knows one priority": {
			of:     version.GIE12,
			events: []happening{{at: 1, id: 1, priority: -1, level: full}, {at: 1, id: 2, priority: 1}, {at: 1, id: 3}},
			want:   []string{"1ms 1: " + policy.ErrShed.Error(), "1ms 2: " + policy.ErrNoEndpoint.Error()},
		},
	} {
		t.Run(name, func(t *testing.T) {
			of := tc.of
			if of == 0 {
				of = version.RouterMain
			}
			g := newFlowBench(someBands(t, tc.section, of), of)
			if tc.limit != nil {
				g.limit = tc.limit
			}
			if p, ok := g.bands[0].fairness.(*programAwareFair); ok {
				p.Used(0, &policy.Request{Tenant: 8, Tokens: 1000}, 10)
			}
			for _, e := range tc.events {
				at := simtime.Time(e.at * float64(ms))
				g.until(at)
				if e.level > 0 {
					g.level, g.endpoints = e.level, 1
				}
				if e.gone {
					g.endpoints = 0
				}
				if e.id > 0 {
					g.arrive(at, policy.Request{ID: e.id, Tenant: e.tenant, Priority: e.priority, Tokens: e.tokens, TTFT: e.ttft})
				}
			}
			g.until(tc.until * ms)
			if diff := cmp.Diff(tc.want, g.log); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

var fullText, expiredText = policy.ErrQueueFull.Error(), policy.ErrExpired.Error()

// ceilingsOf are given ones, the last of which is that of all that follow.
type ceilingsOf []float64

func (c ceilingsOf) limit(_ float64, _ []int, ceilings []float64) {
	for i := range ceilings {
		ceilings[i] = c[min(i, len(c)-1)]
	}
}
