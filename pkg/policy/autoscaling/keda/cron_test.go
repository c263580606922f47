// SPDX-License-Identifier: Apache-2.0

package keda_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

// A cronStory is one trigger of type cron, and what KEDA said of it at some times.
type cronStory struct {
	Start, End, Zone string
	Replicas         int64
	Target           hpa.Target
	Asks             []struct {
		At     time.Time
		Value  int64
		Active bool
	}
}

func TestKEDAReadsTheCalendarTheSame(t *testing.T) {
	active, asked := 0, 0
	for i, s := range readStories[cronStory](t, "cron") {
		c := s.trigger(t)
		if s.Target.Value != 1000 {
			t.Errorf("story %d: the target is %d", i, s.Target.Value)
		}
		for _, ask := range s.Asks {
			got := c.Value(ask.At)
			if asked++; got > 0 {
				active++
			}
			if int64(got)*1000 != ask.Value || (got > 0) != ask.Active {
				t.Errorf("story %d: %s to %s in %s is %v at %s, want %d thousandths", i, s.Start, s.End, s.Zone, got, ask.At, ask.Value)
				break
			}
		}
	}
	t.Logf("compared %d answers of triggers by the time, of which %d are active", asked, active)
	if active < asked/10 || active > asked*9/10 {
		t.Errorf("%d of %d answers are active", active, asked)
	}
}

func (s *cronStory) trigger(t *testing.T) keda.Cron {
	t.Helper()
	times := func(text string) keda.Times {
		all, err := keda.ParseTimes(text)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		t.Fatal(err)
	}
	return keda.Cron{Start: times(s.Start), End: times(s.End), Zone: zone, Replicas: s.Replicas}
}
