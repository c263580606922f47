// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// buildDisrupted has two pools of two replicas, first and llama.
func buildDisrupted(disruptions ...v1alpha1.Disruption) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Pools = append([]v1alpha1.Pool{s.Pools[0]}, s.Pools...)
		s.Pools[0].Name = "first"
		s.Disruptions = disruptions
	}
}

func TestBuildDisruptions(t *testing.T) {
	got := mustBuild(t, buildDisrupted(
		v1alpha1.Disruption{At: "0s", Pool: "llama", Replica: 1, Kind: "Drain"},
		v1alpha1.Disruption{At: "1s", Pool: "first", Replica: 1, Kind: "Fail"},
		v1alpha1.Disruption{At: "1s", Pool: "llama", Replica: 1, Kind: "Fail"},
		v1alpha1.Disruption{At: "1m", Pool: "first", Replica: 1, Kind: "Recover"},
		v1alpha1.Disruption{At: "2m", Pool: "first", Replica: 1, Kind: "Drain"},
	)).Disruptions
	want := []simulator.Disruption{
		{At: 0, Endpoint: 3, Kind: simulator.Drain},
		{At: simtime.Time(time.Second), Endpoint: 1, Kind: simulator.Fail},
		{At: simtime.Time(time.Second), Endpoint: 3, Kind: simulator.Fail},
		{At: simtime.Time(time.Minute), Endpoint: 1, Kind: simulator.Recover},
		{At: simtime.Time(2 * time.Minute), Endpoint: 1, Kind: simulator.Drain},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("disruptions (−want +got):\n%s", diff)
	}
}

func TestDisruptionValidation(t *testing.T) {
	one := v1alpha1.Disruption{At: "10s", Pool: "llama", Kind: "Fail"}
	with := func(edit func(*v1alpha1.Disruption)) v1alpha1.Disruption {
		d := one
		edit(&d)
		return d
	}
	kind := func(kind v1alpha1.DisruptionKind) v1alpha1.Disruption {
		return with(func(d *v1alpha1.Disruption) { d.Kind = kind })
	}
	for name, tc := range map[string]struct {
		list       []v1alpha1.Disruption
		path, text string
	}{
		"a pool that there is none of": {
			[]v1alpha1.Disruption{with(func(d *v1alpha1.Disruption) { d.Pool = "second" })}, "[0].pool", `supported values: "first", "llama"`,
		},
		"a replica that there is none of": {
			[]v1alpha1.Disruption{with(func(d *v1alpha1.Disruption) { d.Replica = 2 })}, "[0].replica", "has 2, numbered from 0",
		},
		"out of order": {
			[]v1alpha1.Disruption{one, with(func(d *v1alpha1.Disruption) { d.At, d.Replica = "9s", 1 })}, "[1].at", "the entry before is at 10s",
		},
		"nothing to recover from": {[]v1alpha1.Disruption{kind("Recover")}, "[0].kind", "did not fail or drain before"},
		"recovered twice":         {[]v1alpha1.Disruption{one, kind("Recover"), kind("Recover")}, "[2].kind", "did not fail or drain before"},
		"failed twice":            {[]v1alpha1.Disruption{one, one}, "[1].kind", "failed before"},
		"drained after a failure": {[]v1alpha1.Disruption{one, kind("Drain")}, "[1].kind", "failed before"},
		"drained twice":           {[]v1alpha1.Disruption{kind("Drain"), kind("Drain")}, "[1].kind", "drains already"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, buildDisrupted(tc.list...))
			wantFault(t, errs, "spec.scenario.disruptions"+tc.path, tc.text)
		})
	}
}
