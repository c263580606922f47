// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// counter is a listener that keeps what it hears.
type counter struct{ heard []string }

func (c *counter) FirstToken(request *policy.Request, endpoint int) {
	c.heard = append(c.heard, fmt.Sprintf("first token of %d at %d", request.ID, endpoint))
}

func (c *counter) Finished(request *policy.Request, endpoint int) {
	c.heard = append(c.heard, fmt.Sprintf("end of %d at %d", request.ID, endpoint))
}

// TestEndsAreCountedWhenTheEPPCountedThem has three requests, of which the last one's end is not known. The simulation
// ends all of them before the EPP does, and answers the second one late.
func TestEndsAreCountedWhenTheEPPCountedThem(t *testing.T) {
	heard := &counter{}
	ends := newEnds(&policy.Routing{Responses: heard})
	for i, at := range []simtime.Time{30, 20, 0} {
		request := policy.Request{ID: i}
		ends.routed(&request, i%2, at)
		if i != 1 {
			ends.FirstToken(&request, i%2)
		}
		ends.Finished(&request, i%2)
	}
	ends.until(20)
	ends.until(21)
	ends.FirstToken(&policy.Request{ID: 1}, 1)
	ends.until(100)
	want := []string{"first token of 0 at 0", "first token of 2 at 0", "end of 2 at 0", "end of 1 at 1", "end of 0 at 0"}
	if diff := cmp.Diff(want, heard.heard); diff != "" {
		t.Errorf("heard (−want +got):\n%s", diff)
	}
}
