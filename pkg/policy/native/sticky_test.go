// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// A step of a story: a request, under a load, with an endpoint that is gone or none, and
// where it goes.
type stickyStep struct {
	why     string
	extents []prompt.Extent
	gone    int
	want    int
}

func TestStickyGoesWhereThePrefixWentFirst(t *testing.T) {
	const nobody = -1
	r := mustNew(t, Spec{Policy: "prefix-affinity", TieBreak: tieFirst}, 3)
	for id, step := range []stickyStep{
		{"an unknown prompt goes to the least loaded", []prompt.Extent{text(1, 64), text(10, 64)}, nobody, 0},
		{"another one goes elsewhere", []prompt.Extent{text(2, 64)}, nobody, 1},
		{"a known beginning goes back, though endpoint 2 is idle", []prompt.Extent{text(1, 64), text(11, 64)}, nobody, 0},
		{"again, whatever the load", []prompt.Extent{text(1, 64), text(12, 64)}, nobody, 0},
		{"less than a block is no prefix", []prompt.Extent{text(1, 15)}, nobody, 2},
		{"without its endpoint a prefix is unknown", []prompt.Extent{text(1, 64), text(10, 64)}, 0, 1},
		{"and stays where it went next", []prompt.Extent{text(1, 64), text(10, 64)}, nobody, 1},
		{"so does all of it", []prompt.Extent{text(1, 64), text(11, 64)}, nobody, 1},
	} {
		v := view(make([]policy.Scrape, 3)...)
		v.Down = make([]bool, 3)
		if step.gone != nobody {
			v.Down[step.gone] = true
		}
		same(t, step.why, step.want, route(t, r, v, request(id, step.extents...)))
	}
}

// Each prefix is known of one endpoint at most, whoever comes and goes.
func TestStickyPrefixesHaveOneEndpoint(t *testing.T) {
	r := mustNew(t, Spec{Policy: "prefix-affinity", Parameters: map[string]string{"blocksPerEndpoint": "40", "load": "queue"}}, 4)
	w := newTraffic(4)
	for range 3000 {
		v, q := w.next()
		route(t, r, v, q)
		known := 0
		for e := range 4 {
			if r.chooser.(*sticky).sent.memories[e].match(q.Prompt.FullStretches(nil, 16)) > 0 {
				known++
			}
		}
		if known > 1 {
			t.Fatalf("request %d: %d endpoints know its prefix", q.ID, known)
		}
	}
}
