// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// comparedRequests compares two sides under a scenario, request by request.
func comparedRequests(t *testing.T, args ...string) *requestContrast {
	t.Helper()
	out := jsontest.Decode[struct{ Requests *requestContrast }](t, []byte(mustRun(t, append([]string{"compare", "-o", "json"}, args...)...)))
	return out.Requests
}

// TestCompareFindsTheSameRequests compares two pickers where answers decide when requests
// come, so that requests of equal numbers are others.
func TestCompareFindsTheSameRequests(t *testing.T) {
	const sample = "../../config/samples/simulationrun-closed-loop.yaml"
	random := cmdtest.TempFile(t, "epp.yaml", otherPicker)
	queue := cmdtest.TempFile(t, "queue.yaml", `apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 1}
`)
	got := comparedRequests(t, random, queue, "--scenario", sample)
	pairs := got.Groups[0].Pairs
	if got.OtherPrompts > 0 || pairs < 15000 || got.OnlyA+got.OnlyB > pairs/100 {
		t.Errorf("%d pairs, %d with other prompts; %d requests only on A, %d only on B", pairs, got.OtherPrompts, got.OnlyA, got.OnlyB)
	}
	moved := 0
	for _, p := range got.Slowest {
		if p.RequestA != p.RequestB {
			moved++
		}
	}
	if moved == 0 {
		t.Errorf("all of the slowest requests have one number on both sides: %+v", got.Slowest)
	}
}

// TestCompareTellsOtherPrompts compares two manifests of which one has longer prompts of one
// client.
func TestCompareTellsOtherPrompts(t *testing.T) {
	const sample = "../../config/samples/simulationrun-closed-loop.yaml"
	got := comparedRequests(t, sample, cmdtest.Edited(t, sample, `inputTokens: {mean: "1000"}`, `inputTokens: {mean: "1010"}`))
	if got.OtherPrompts < 10000 || got.Groups[0].Pairs < 2000 || got.Groups[0].From < 2000 {
		t.Errorf("%d requests have other prompts, %+v are compared", got.OtherPrompts, got.Groups[0])
	}
}

// TestRequestsNameTheirOrigin runs clients that time out and try again beside conversations.
func TestRequestsNameTheirOrigin(t *testing.T) {
	const sample = "../../config/samples/simulationrun-closed-loop.yaml"
	file, _ := cmdtest.RequestsOf(t, windtunnel, "run", "-f", cmdtest.Edited(t, sample, `inputTokens: {mean: "1000"}`, `inputTokens: {mean: "1000"}
        timeout: {total: 5s}
        retry: {max: 2}`))
	type identity struct {
		seed int64
		result.Identity
	}
	at := map[identity]result.RequestRow{}
	rows := cmdtest.ReadRequests(t, file)
	for _, r := range rows {
		id := identity{r.Seed, r.Identity}
		if _, twice := at[id]; twice {
			t.Fatalf("two requests are %+v", id)
		}
		at[id] = r
	}
	retries, turns := 0, 0
	for _, r := range rows {
		if (r.Attempt > 0) != (r.FirstRequest != nil) {
			t.Fatalf("attempt %d of request %d has the first request %v", r.Attempt, r.Request, r.FirstRequest)
		}
		if chat := r.Source == "chat"; chat != (r.Session > 0) || chat != (r.Turn > 0) || r.Step < 1 {
			t.Fatalf("request %d: %+v", r.Request, r.Identity)
		}
		if r.Turn > 1 {
			turns++
			before := r.Identity
			before.Step, before.Turn = r.Step-1, r.Turn-1
			if _, ok := at[identity{r.Seed, before}]; !ok {
				t.Errorf("no request is the turn before %+v", r.Identity)
			}
		}
		if r.Attempt == 0 {
			continue
		}
		retries++
		first := r.Identity
		first.Attempt = 0
		if f := at[identity{r.Seed, first}]; f.Request != *r.FirstRequest || f.PromptTokens != r.PromptTokens || f.Outcome != "timed out" {
			t.Errorf("request %d is a retry of request %d, which is %+v", r.Request, *r.FirstRequest, f)
		}
	}
	if retries < 100 || turns < 100 {
		t.Errorf("%d retries, %d turns", retries, turns)
	}
}
