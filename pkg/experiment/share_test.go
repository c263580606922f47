// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
)

// canaryAmong is a scenario whose backends have weights, the canary first. A weight of -1 is none.
func canaryAmong(weights ...int) Tree {
	var backends []any
	for i, weight := range weights {
		backend := Tree{"router": fmt.Sprintf("stable-%d", i)}
		if i == 0 {
			backend["router"] = "canary"
		}
		if weight >= 0 {
			backend["weight"] = json.Number(fmt.Sprint(weight))
		}
		backends = append(backends, backend)
	}
	return Tree{"route": Tree{"backends": backends}}
}

// TestAShareDividesTheRestByTheWeights reckons the shares by hand: of weights 30 and 60, a rest of 75 % is
// 25 % and 50 %, so that 25 % beside it makes weights of 1, 1 and 2.
func TestAShareDividesTheRestByTheWeights(t *testing.T) {
	for name, tc := range map[string]struct {
		weights []int
		value   string
		want    []int64
		err     string
	}{
		"a tenth":                          {[]int{10, 90}, "10", []int64{1, 9}, ""},
		"nothing":                          {[]int{10, 90}, "0", []int64{0, 1}, ""},
		"everything":                       {[]int{10, 90}, "100", []int64{1, 0}, ""},
		"a share that needs great weights": {[]int{0, 1}, "33", []int64{33, 67}, ""},
		"several others":                   {[]int{5, 30, 60}, "25", []int64{1, 1, 2}, ""},
		"others without a weight have 1":   {[]int{-1, -1}, "50", []int64{1, 1}, ""},
		"others whose weight is 0":         {[]int{1, 0}, "50", nil, "gets all requests of the rules that have it: they have no other backend with a weight"},
		"the only backend":                 {[]int{1}, "50", nil, "gets all requests of the rules that have it: they have no other backend with a weight"},
		"more than all":                    {[]int{10, 90}, "101", nil, "must be a percentage from 0 to 100"},
		"half a percent":                   {[]int{10, 90}, "0.5", nil, "must be a percentage from 0 to 100"},
	} {
		t.Run(name, func(t *testing.T) {
			scenario := canaryAmong(tc.weights...)
			before := cloneTree(scenario)
			p := Parameter{Name: "canary", Segments: SharePath("canary"), Share: true}
			root := Tree{"route": scenario["route"]} // trees may share what is below their roots
			err := p.Set(root, tc.value)
			if err != nil || tc.err != "" {
				if fmt.Sprint(err) != tc.err {
					t.Fatalf("%v, want %s", err, tc.err)
				}
				return
			}
			backends, _ := Lookup(root, SharePath("canary")[:2]).([]any)
			if diff := cmp.Diff(tc.want, weightsOf(backends)); diff != "" {
				t.Errorf("weights (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, any(scenario)); diff != "" {
				t.Errorf("the scenario changed (−was +is):\n%s", diff)
			}
		})
	}
}

// A share is that of each rule which divides requests between the backend and others. A rule that gives
// it all requests, such as those of testers, stays, and so does one without it.
func TestAShareIsThatOfEachRuleThatDivides(t *testing.T) {
	backends := func(weights ...int) []any {
		return canaryAmong(weights...)["route"].(Tree)["backends"].([]any)
	}
	other := []any{Tree{"router": "stable-1", "weight": json.Number("3")}}
	root := Tree{"route": Tree{"rules": []any{
		Tree{"name": "paid", "backends": backends(10, 90)}, Tree{"name": "testers", "backends": backends(1)},
		Tree{"name": "free", "backends": backends(5, 30, 60)}, Tree{"name": "other", "backends": other},
	}}}
	p := Parameter{Name: "canary", Path: Render(SharePath("canary")), Share: true}
	if err := p.Bind(root); err != nil {
		t.Fatal(err)
	}
	if err := p.Set(root, "25"); err != nil {
		t.Fatal(err)
	}
	got := map[string][]int64{}
	for _, rule := range root["route"].(Tree)["rules"].([]any) {
		got[entryName(rule)] = weightsOf(rule.(Tree)["backends"].([]any))
	}
	if diff := cmp.Diff(map[string][]int64{"paid": {1, 3}, "testers": {1}, "free": {1, 1, 2}, "other": {3}}, got); diff != "" {
		t.Errorf("weights by rule (−want +got):\n%s", diff)
	}
}

func TestGatesOfTheCanarysPoolsReadAllRequestsOfTheBaseline(t *testing.T) {
	pool := func(name string) any { return Tree{"name": name, "model": "m"} }
	stated := Tree{
		"pools":   []any{pool("stable"), pool("canary-a"), pool("canary-b")},
		"routers": []any{Tree{"name": "stable", "model": "m", "pools": []any{"stable"}}, Tree{"name": "canary", "model": "m", "pools": []any{"canary-a", "canary-b"}}},
	}
	derived := Tree{"pools": stated["pools"], "routers": []any{stated["routers"].([]any)[0], Tree{"name": "canary", "model": "m"}}}
	for name, scenario := range map[string]Tree{"pools that the router names": stated, "pools that are left to it": derived} {
		t.Run(name, func(t *testing.T) {
			plan := Plan{Scenario: scenario, Parameters: []Parameter{{Name: "canary", Segments: SharePath("canary"), Share: true}}}
			for metric, want := range map[string]string{
				"ttft.p99{pool=canary-b}":         "ttft.p99",
				"ttft.p99{class=a,pool=canary-a}": "ttft.p99{class=a}",
				"ttft.p99{pool=stable}":           "ttft.p99{pool=stable}",
				"ttft.p99":                        "ttft.p99",
			} {
				if got := plan.counterpart(result.Of(result.MustParseMetric(metric))).String(); got != want {
					t.Errorf("%s is compared with %s, want %s", metric, got, want)
				}
			}
		})
	}
}
