// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"fmt"
	"strconv"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// gateway is what the policies before the router said, and what they saw.
func (t decisionTable) gateway() {
	if p := t.Priority; p != nil {
		fmt.Fprintf(t, "priority %d by %s; the client states %d\n", p.Value, p.Policy, p.Stated)
	}
	for i := range t.Verdicts {
		if more := t.Asked - len(t.Verdicts); i > 0 && more > 0 {
			fmt.Fprintf(t, "%s\n", figure.Plural(more, "more delay"))
		}
		t.answer(&t.Verdicts[i])
	}
	if t.Priority != nil || len(t.Verdicts) > 0 {
		t.WriteByte('\n')
	}
}

func (t decisionTable) answer(a *scheduler.AdmissionAnswer) {
	fmt.Fprintf(t, "at %s s %s %s the request", seconds(a.AtSeconds), a.Policy, verbs[a.Verdict])
	switch a.Verdict {
	case scheduler.Rejected:
		fmt.Fprintf(t, ": %s", a.Reason)
	case scheduler.Delayed:
		fmt.Fprintf(t, " until %s s", seconds(a.UntilSeconds))
	}
	t.WriteByte('\n')
	if s := a.Saturation; s != nil {
		fmt.Fprintf(t, "  saturation %s: %s\n", figureOf(s.Level), s.Freshness)
	}
	if f := a.Tenant; f != nil {
		fmt.Fprintf(t, "  tenant %s: %d in flight with %d prompt tokens, %d delayed; %d arrived, %s/s, %d admitted, %d rejected: %s\n",
			t.Tenant, f.InFlight, f.InFlightTokens, f.Delayed, f.Arrived, figureOf(f.ArrivalRate), f.Admitted, f.Rejected, f.Freshness)
	}
}

// verbs are what an admission does, by its verdict.
var verbs = map[string]string{scheduler.Admitted: "admits", scheduler.Rejected: "rejects", scheduler.Delayed: "delays"}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 6, 64) }

// rejectedBefore is the policy before the router that rejected the request; "" where none
// did.
func (d *RoutingRecord) rejectedBefore() string {
	if last := d.LastVerdict(); last != nil && last.Verdict == scheduler.Rejected {
		return last.Policy
	}
	return ""
}
