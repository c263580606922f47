// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// decodeDecision reads a line of a trace; nil where it is no decision.
func decodeDecision(line string) *execute.RoutingRecord {
	if !strings.HasPrefix(line, `{"record":"routing",`) {
		return nil
	}
	d := &execute.RoutingRecord{}
	if err := json.Unmarshal([]byte(line), d); err != nil {
		panic(err)
	}
	return d
}

// checkMoves checks preemptions, transfers and hand-overs.
func checkMoves(t *testing.T, row *result.Row, trace *recordedTrace) {
	preemptions := recordsOf[result.PreemptionRecord](trace)
	if len(preemptions) != countOf(row, "preemptions") {
		t.Errorf("%d records of preemptions, %d in the row", len(preemptions), countOf(row, "preemptions"))
	}
	for _, p := range preemptions {
		if p.Running < 1 || p.ComputedTokens < 0 || p.KVUsage < 0.5 {
			t.Errorf("%+v", p)
		}
	}
	over := 0
	for _, h := range recordsOf[result.HandOverRecord](trace) {
		if h.Cancelled {
			continue
		}
		over++
		if h.PrefilledSeconds == nil || h.ReadySeconds == nil {
			t.Fatalf("%+v", h)
		}
		if times := []float64{h.StartSeconds, *h.PrefilledSeconds, *h.ReadySeconds, h.AtSeconds}; !slices.IsSorted(times) || h.Tokens <= 0 || h.Bytes <= 0 || h.Prefill == h.Decode {
			t.Errorf("%+v", h)
		}
	}
	if over != countOf(row, "handoffs") {
		t.Errorf("%d hand-overs, %d in the row", over, countOf(row, "handoffs"))
	}
	bytes := map[string]int64{}
	for _, m := range recordsOf[result.TransferRecord](trace) {
		bytes[m.Reason] += m.Bytes
		if m.AtSeconds < m.StartSeconds || m.TransferLatencySeconds < 0 || m.Bytes <= 0 || (m.From != m.To) != (m.Reason == "pd_handoff") {
			t.Errorf("%+v", m)
		}
	}
	var handed int64
	for _, h := range recordsOf[result.HandOverRecord](trace) {
		handed += h.Bytes
	}
	if handed > bytes["pd_handoff"] {
		t.Errorf("hand-overs of %d bytes, transfers of %d", handed, bytes["pd_handoff"])
	}
}

// checkScaling checks that each decision of a scaler begins with what the one before wanted.
func checkScaling(t *testing.T, trace *recordedTrace) {
	wanted := map[string]int64{}
	for _, s := range recordsOf[result.ScalingRecord](trace) {
		before, known := wanted[s.Pool]
		action := map[bool]string{true: "up", false: "down"}[s.NewCount > s.PreviousCount]
		if s.NewCount == s.PreviousCount {
			action = "none"
		}
		if known && before != s.PreviousCount || s.Action != action || s.Pending < 0 || s.Ready < 0 || s.Scaler == "" || s.Reason == "" {
			t.Errorf("%+v, wanted before: %d", s, before)
		}
		wanted[s.Pool] = s.NewCount
	}
	for _, r := range recordsOf[result.ReplicaRecord](trace) {
		if r.Pending < 0 || r.Ready < 0 || r.Stage == "" || !strings.HasPrefix(r.Replica, r.Pool+"/") {
			t.Errorf("%+v", r)
		}
	}
}

// checkGateway checks the answers of the policies before the router: each request has one priority,
// and answers that delay it until one that does not.
func checkGateway(t *testing.T, trace *recordedTrace) {
	asked, last := map[int64]int{}, map[int64]string{}
	for _, a := range recordsOf[result.AdmissionRecord](trace) {
		asked[a.Request]++
		if was := last[a.Request]; was != "" && was != "delayed" || (a.Verdict == "delayed") != (a.UntilSeconds != nil) || (a.Verdict == "rejected") != (a.Reason != "") {
			t.Errorf("%+v, after %q", a, was)
		}
		last[a.Request] = a.Verdict
	}
	for line := range strings.Lines(trace.text()) {
		if d := decodeDecision(line); d != nil && len(asked) > 0 && d.Asked != asked[int64(d.Request.ID)] {
			t.Errorf("request %d has %d records of the admission, and was asked about %d times", d.Request.ID, asked[int64(d.Request.ID)], d.Asked)
		}
	}
	seen := map[int64]bool{}
	for _, p := range recordsOf[result.PriorityRecord](trace) {
		if seen[p.Request] || p.Policy == "" {
			t.Errorf("%+v", p)
		}
		seen[p.Request] = true
	}
}
