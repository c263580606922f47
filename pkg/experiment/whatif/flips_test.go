// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// scored is the pick of the endpoint among scored ones.
func scored(request, chosen int, scores ...scheduler.Number) *pick {
	p := unscored(request, chosen, len(scores))
	p.scores = scores
	return p
}

// unscored is a pick of so many endpoints without scores.
func unscored(request, chosen, endpoints int) *pick {
	p := &pick{request: request, chosen: chosen, explained: true}
	for e := range endpoints {
		p.candidates, p.left = append(p.candidates, e), append(p.left, e)
	}
	return p
}

func TestFlips(t *testing.T) {
	elsewhere := unscored(4, 0, 3)
	elsewhere.router = 1
	staged := unscored(6, 1, 3) // a stage left endpoint 1 alone
	staged.left = []int{1}
	for name, test := range map[string]struct {
		later []*pick
		there int // requests before it meet the one in question
		n     int
		want  [][2]int // requests and endpoints
	}{
		"nothing later":                      {nil, 0, 8, nil},
		"an exact tie before a near one":     {[]*pick{scored(1, 1, 0, 3, 2), scored(2, 1, 0, 3, 3)}, 0, 1, [][2]int{{2, 2}}},
		"a near tie where there is no other": {[]*pick{scored(1, 1, 0, 3, 2), scored(2, 1, 0, 3, 1)}, 0, 1, [][2]int{{1, 2}}},
		"the first of equal ties":            {[]*pick{scored(1, 1, 3, 3, 0), scored(2, 1, 3, 3, 0)}, 0, 1, [][2]int{{1, 0}}},
		"in order of requests":               {[]*pick{scored(1, 1, 0, 3, 2), scored(2, 1, 0, 3, 3)}, 0, 8, [][2]int{{1, 2}, {2, 2}}},
		"one to the endpoint in question":    {[]*pick{scored(1, 1, 0, 3, 3), scored(2, 1, 0, 3, 3)}, 2, 2, [][2]int{{1, 0}, {2, 2}}},
		"one from the endpoint in question":  {[]*pick{scored(1, 1, 0, 3, 3), scored(2, 0, 3, 2, 1)}, 3, 2, [][2]int{{1, 2}, {2, 1}}},
		"none when the request has gone":     {[]*pick{scored(1, 1, 0, 3, 3), scored(2, 1, 0, 3, 3)}, 1, 1, [][2]int{{1, 2}}},
		"the next one without scores":        {[]*pick{unscored(1, 2, 3), unscored(2, 1, 3)}, 0, 8, [][2]int{{1, 0}, {2, 2}}},
		"no other candidate":                 {[]*pick{unscored(1, 0, 1)}, 9, 8, nil},
		"another router":                     {[]*pick{elsewhere}, 9, 8, nil},
		"a stage that left one":              {[]*pick{staged, unscored(7, 1, 3)}, 0, 1, [][2]int{{7, 2}}},
		"requests too late":                  {[]*pick{scored(1, 0, 3, 1), scored(2, 0, 3, 1), scored(3, 0, 3, 1), scored(4, 0, 3, 1), scored(5, 0, 3, 1), scored(6, 0, 3, 1), scored(7, 0, 3, 1), scored(8, 0, 3, 1), scored(9, 0, 3, 3)}, 0, 1, [][2]int{{1, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][2]int
			for _, f := range flipsOf(unscored(0, 0, 3), test.later, func(request int) bool { return request < test.there }, test.n) {
				got = append(got, [2]int{f.request, f.endpoint})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("flips (-want +got):\n%s", diff)
			}
		})
	}
}

func TestImpossibleAlternatives(t *testing.T) {
	p := unscored(3, 0, 2)
	p.names = []string{"a/0", "a/1", "b/0", "b/1"}
	p.profile = "decode"
	p.filters = []scheduler.FilterRun{{PluginName: scheduler.PluginName{Name: "roles"}, Dropped: []int{2}}}
	for endpoint, want := range map[int]string{
		0:  "",
		1:  "",
		2:  "roles removed it from the candidates of profile decode, which were a/0, a/1",
		3:  "it was gone; the candidates were a/0, a/1",
		4:  "there is no endpoint 4: the router has endpoints from 0 to 3",
		-1: "there is no endpoint -1: the router has endpoints from 0 to 3",
	} {
		if got := p.impossible(endpoint); got != want {
			t.Errorf("endpoint %d: %q, want %q", endpoint, got, want)
		}
	}
}
