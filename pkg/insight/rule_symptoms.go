// SPDX-License-Identifier: Apache-2.0

package insight

import "windtunnel.dev/windtunnel/pkg/stats"

// group is the requests of a tenant and class.
type group struct{ tenant, class int }

// sloViolations counts the requests of each tenant and class that miss a target.
type sloViolations struct {
	groups []group
	all    []violations
}

type violations struct {
	tally
	ttft, tpot, e2e, lost int
}

func (s *sloViolations) ended(_ *Collector, r *record) {
	if !r.end.Measured {
		return
	}
	v := s.of(group{r.end.Tenant, r.end.Class})
	v.looked++
	if !r.bad {
		return
	}
	v.add(r)
	switch {
	case r.end.Ended != completed:
		v.lost++
	case over(r.ttft, r.limit):
		v.ttft++
	case over(r.tpot, r.target.TPOT):
		v.tpot++
	default:
		v.e2e++
	}
}

func (s *sloViolations) of(g group) *violations {
	for i := range s.groups {
		if s.groups[i] == g {
			return &s.all[i]
		}
	}
	s.groups, s.all = append(s.groups, g), append(s.all, violations{})
	return &s.all[len(s.all)-1]
}

func (s *sloViolations) anomalies(c *Collector) []Anomaly {
	var all []Anomaly
	for i, g := range s.groups {
		if v := &s.all[i]; v.found(&c.by) {
			all = append(all, v.anomaly(SLOViolation, c.groupName(g), v.share(),
				Value{"missed TTFT", float64(v.ttft)}, Value{"missed TPOT", float64(v.tpot)},
				Value{"missed E2E", float64(v.e2e)}, Value{"did not complete", float64(v.lost)}))
		}
	}
	return all
}

func (c *Collector) groupName(g group) string {
	return "tenant " + label(c.labels.Tenants, g.tenant) + ", class " + label(c.labels.Classes, g.class)
}

func label(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "default"
}

// tails compares the percentiles of the TTFT of each class.
type tails struct{ classes []tail }

type tail struct {
	tally
	ttft stats.Histogram
}

func (t *tails) ended(_ *Collector, r *record) {
	if !r.end.Measured || r.ttft < 0 {
		return
	}
	for len(t.classes) <= r.end.Class {
		t.classes = append(t.classes, tail{})
	}
	of := &t.classes[r.end.Class]
	of.looked++
	of.ttft.Record(int64(r.ttft))
	if over(r.ttft, r.limit) {
		of.add(r)
	}
}

func (t *tails) anomalies(c *Collector) []Anomaly {
	var all []Anomaly
	for class := range t.classes {
		of := &t.classes[class]
		half, most := of.ttft.Quantile(0.5)/1e9, of.ttft.Quantile(0.99)/1e9
		if of.looked < 100 || of.count == 0 || most < c.by.Tail*half {
			continue
		}
		all = append(all, of.anomaly(TailBlowUp, "class "+label(c.labels.Classes, class), most/half/100,
			Value{"TTFT p99 in s", most}, Value{"TTFT p50 in s", half}, Value{"p99 ÷ p50", most / half}))
	}
	return all
}
