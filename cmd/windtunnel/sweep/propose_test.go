// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

func TestTheServiceThatAFileNamesIsNotAsked(t *testing.T) {
	evolves := &experiment.Evolution{}
	plan := &experiment.Plan{Parameters: []experiment.Parameter{{Evolve: evolves}}}
	if got := (&proposerOptions{}).unasked(plan); got != nil {
		t.Errorf("without a service: %q", got)
	}
	evolves.Proposer = &experiment.Proposer{URL: "http://proposer"}
	if got := strings.Join((&proposerOptions{}).unasked(plan), ""); !strings.Contains(got, "names the proposer http://proposer for a cluster, and this command does not ask it") {
		t.Errorf("warned of %q", got)
	}
}
