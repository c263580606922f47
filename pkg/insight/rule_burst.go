// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// slots bounds the slots of time of a tenant; when there are more, each becomes twice as long.
const slots = 128

// tenantBurst finds the tenant that sends many times its usual rate for a time, while the
// other tenants wait for many times as long.
type tenantBurst struct {
	slot    time.Duration
	tenants [][]slot
}

// A slot is the arrivals of a time and how long they waited.
type slot struct {
	arrived, started, bad int
	ttft                  time.Duration
	example               [examples]int
	examples              int
}

func (t *tenantBurst) ended(_ *Collector, r *record) {
	for int(r.end.Arrival/simtime.Time(t.slot)) >= slots {
		t.double()
	}
	at := int(r.end.Arrival / simtime.Time(t.slot))
	of := t.tenants[r.end.Tenant]
	for len(of) <= at {
		of = append(of, slot{})
	}
	t.tenants[r.end.Tenant] = of
	of[at].add(r)
}

func (s *slot) add(r *record) {
	s.arrived++
	if r.bad {
		s.bad++
		if s.examples < examples {
			s.example[s.examples] = r.end.ID
			s.examples++
		}
	}
	if r.ttft >= 0 {
		s.started++
		s.ttft += r.ttft
	}
}

// double makes slots twice as long.
func (t *tenantBurst) double() {
	t.slot *= 2
	for i, of := range t.tenants {
		for k := range of {
			if k%2 == 0 {
				of[k/2] = of[k]
			} else {
				of[k/2].merge(&of[k])
			}
		}
		t.tenants[i] = of[:(len(of)+1)/2]
	}
}

func (s *slot) merge(o *slot) {
	s.arrived, s.started, s.bad, s.ttft = s.arrived+o.arrived, s.started+o.started, s.bad+o.bad, s.ttft+o.ttft
	for _, id := range o.example[:o.examples] {
		if s.examples < examples {
			s.example[s.examples] = id
			s.examples++
		}
	}
}

func (t *tenantBurst) anomalies(c *Collector) []Anomaly {
	var all []Anomaly
	if len(t.tenants) < 2 || t.span() == 0 {
		return nil
	}
	for tenant := range t.tenants {
		if a := t.burstOf(c, tenant); a != nil {
			all = append(all, *a)
		}
	}
	return all
}

// span is how many slots there are in all.
func (t *tenantBurst) span() int {
	n := 0
	for _, of := range t.tenants {
		n = max(n, len(of))
	}
	return n
}

// burstOf compares the slots of a tenant's bursts, and as many after each, with the others.
func (t *tenantBurst) burstOf(c *Collector, tenant int) *Anomaly {
	span := t.span()
	rates := make([]int, span)
	for k := range t.tenants[tenant] {
		rates[k] = t.tenants[tenant][k].arrived
	}
	sorted := slices.Sorted(slices.Values(rates))
	usual := float64(sorted[span/2])
	mean := float64(sum(rates)) / float64(span)
	// Chance alone hardly ever exceeds a mean by four times its root.
	high := max(c.by.Burst*usual, c.by.Burst/2*mean, mean+4*math.Sqrt(mean), 5)
	inside, outside, burst := slot{}, slot{}, 0
	first, until, lasted := -1, -1, 0
	for k := range span {
		if float64(rates[k]) >= high {
			burst += rates[k]
			lasted++
			until = k + lasted
			if first < 0 {
				first = k
			}
		} else if k > until {
			lasted = 0
		}
		into := &outside
		if k <= until {
			into = &inside
		}
		for other, of := range t.tenants {
			if other != tenant && k < len(of) {
				into.merge(&of[k])
			}
		}
	}
	during, otherwise := inside.mean(), outside.mean()
	if burst < c.by.MinRequests || inside.started < c.by.MinRequests || outside.started < c.by.MinRequests || inside.bad == 0 || during < c.by.Rise*otherwise {
		return nil
	}
	missed := ratio(inside.bad, inside.arrived)
	return &Anomaly{
		Type: TenantBurst, About: "tenant " + label(c.labels.Tenants, tenant), AtSeconds: (time.Duration(first) * t.slot).Seconds(),
		Count: inside.arrived, Share: ratio(inside.arrived, inside.arrived+outside.arrived),
		Severity: (clamp(during/otherwise/10) + missed) / 2,
		Values: []Value{
			{"arrivals of the tenant in its bursts", float64(burst)}, {"its median arrivals in so much time", usual}, {"slot in s", t.slot.Seconds()},
			{"mean TTFT of others during bursts in s", during}, {"mean TTFT of others else in s", otherwise}, {"of others during bursts missed a target", float64(inside.bad)},
		},
		Requests: slices.Clone(inside.example[:inside.examples]),
	}
}

func (s *slot) mean() float64 { return s.ttft.Seconds() / float64(max(s.started, 1)) }

func sum(all []int) int {
	n := 0
	for _, x := range all {
		n += x
	}
	return n
}
