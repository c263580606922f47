// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/flowcontrol"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Who is evicted takes no part in the load from then on, so that the others go
// with the next cycle.
func TestEvictionMakesRoom(t *testing.T) {
	const text = gated + "plugins: [{type: queue-scorer}, {type: concurrency-detector, parameters: {maxConcurrency: 1}}]\n" +
		"flowControl: {saturationDetector: {pluginRef: concurrency-detector}, enableEviction: "
	c := mustLoad(t, text+"true}")
	if errs := c.Check(&config.Cluster{Endpoints: 1}, inline); len(errs) > 0 || len(c.Approximations()) != 1 {
		t.Fatalf("errors %v, approximations %q", errs, c.Approximations())
	}
	s := New(c, config.Cluster{Endpoints: 1}, 1)
	at := func(now simtime.Time) *policy.View { return &policy.View{Now: now, Scrapes: make([]policy.Scrape, 1)} }
	low, high := request(1, 5), request(2, 5)
	low.Priority = -1
	for _, r := range []*policy.Request{low, high} {
		if _, err := s.Route(at(ms), r); !errors.Is(err, policy.ErrHeld) {
			t.Fatal(err)
		}
		if got, ok := s.Release(at(ms)); ok != (r == low) {
			t.Fatalf("released %+v (%t)", got, ok)
		}
		for _, more := s.Release(at(ms)); more; _, more = s.Release(at(ms)) {
		}
	}
	if id, ok := s.Evict(ms); !ok || id != low.ID {
		t.Fatalf("evicts %d (%t)", id, ok)
	}
	s.Finished(low, 0)
	if id, ok := s.Evict(ms); ok {
		t.Errorf("evicts %d too", id)
	}
	if got, ok := s.Release(at(2 * ms)); !ok || got.Request != high.ID {
		t.Errorf("released %+v (%t)", got, ok)
	}
	if off := mustLoad(t, text+"false}"); New(off, config.Cluster{Endpoints: 1}, 1).Routing().Evictor != nil || len(off.Approximations()) > 0 {
		t.Error("evicts though that is off")
	}
}

func TestDecayOfServiceByVersion(t *testing.T) {
	const body = header + "plugins: [{type: program-aware-fairness, parameters: {lasDecayFactor: 0.9}}]"
	if _, errs := Load([]byte(body), "router-main", inline); len(errs) != 1 {
		t.Errorf("router-main: %v, want an unknown parameter", errs)
	}
	c, errs := Load([]byte(body), "router-v0.10", inline)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if p := c.Plugin(flowcontrol.ProgramAwareFairnessType).Parameters.(*flowcontrol.ProgramAwareParameters); p.LASDecayFactor != 0.9 || p.LASHalfLifeSeconds != 0 {
		t.Errorf("parameters %+v", p)
	}
}
