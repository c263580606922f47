// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// Scenarios of points share what they do not change, and leave the plan's as it is.
func TestScenariosOfPointsLeaveThePlanAlone(t *testing.T) {
	const base = `{
		"horizon": {"duration": "20s", "requests": 100},
		"pools": [{"name": "a", "engine": {"x": 1}}, {"name": "b"}],
		"router": {"admission": {"policy": "none"}},
		"workload": {"clients": [{"name": "c"}, {"name": "d", "tenant": "t"}], "tenants": [{"name": "t"}]}
	}`
	p := &Plan{
		Scenario: treeOf(t, base),
		Parameters: []Parameter{
			{Name: "x", Path: "pools[a].engine.x"},
			{Name: "y", Path: "pools[b].kvCache.y"},
			{Name: "admission", Path: "router.admission", Alternatives: []Alternative{{Name: "cap", Admission: treeOf(t, `{"policy": "cap", "limit": 1}`)}}},
			{Name: "limit", Path: "router.admission.limit"},
		},
		Workloads: []Workload{{Name: "only", Sources: []string{"c"}}},
	}
	for i := range p.Parameters {
		var err error
		if p.Parameters[i].Segments, err = parsePath(p.Parameters[i].Path); err != nil {
			t.Fatal(err)
		}
		p.Parameters[i].ValueKind = integerValue
	}
	point := func(values ...string) Point {
		at := Point{}
		for _, value := range values {
			at.Values = append(at.Values, v1alpha1.Assignment{Value: value})
		}
		return at
	}
	before := jsontest.Encode(t, p)
	for _, tc := range []struct {
		at    Point
		share float64
		under string
		want  string
	}{
		{point("2", "3", "cap", "4"), 0.5, "", `{
			"horizon": {"duration": "10s", "requests": 50},
			"pools": [{"name": "a", "engine": {"x": 2}}, {"name": "b", "kvCache": {"y": 3}}],
			"router": {"admission": {"policy": "cap", "limit": 4}},
			"workload": {"clients": [{"name": "c"}, {"name": "d", "tenant": "t"}], "tenants": [{"name": "t"}]}
		}`},
		{point("5", "", "", ""), 1, "only", `{
			"horizon": {"duration": "20s", "requests": 100},
			"pools": [{"name": "a", "engine": {"x": 5}}, {"name": "b"}],
			"router": {"admission": {"policy": "none"}},
			"workload": {"clients": [{"name": "c"}]}
		}`},
	} {
		scenario, err := p.ScenarioAt(tc.at, tc.share)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(treeOf(t, tc.want), p.Under(scenario, tc.under)); diff != "" {
			t.Errorf("%s: −want +got:\n%s", tc.at, diff)
		}
		if after, _ := json.Marshal(p); string(after) != string(before) {
			t.Errorf("%s: the plan is %s, and was %s", tc.at, after, before)
		}
	}
}
