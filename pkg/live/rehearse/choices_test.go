// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/live/load"
)

func TestOnlyReplicasHaveScores(t *testing.T) {
	c := NewChoices([]string{"127.0.0.1:8000", "127.0.0.1:8001"})
	o := &load.Outcome{Endpoint: "127.0.0.1:8001", Scores: map[string]float64{"127.0.0.1:8000": 1, "127.0.0.1:8001": 2, "10.0.0.1:8000": 9}}
	c.Add(o)
	if diff := cmp.Diff(map[int]float64{0: 1, 1: 2}, c.of[identityOf(&o.Request)].scores); diff != "" {
		t.Errorf("scores (−want +got):\n%s", diff)
	}
}
