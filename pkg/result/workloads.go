// SPDX-License-Identifier: Apache-2.0

package result

import "fmt"

// Under returns the metric without the workload that its selector names, and whether it
// is wanted of simulations under a workload: under the one that it names, or under every
// one if it names none.
func (m Metric) Under(workload string) (Metric, bool) {
	named := m.Selector.Workload
	m.Selector.Workload = ""
	return m, named == "" || named == workload
}

// OfWorkload returns a metric of the registry under one workload; false for a metric that
// names a workload already, and for a derived one.
func (m Measure) OfWorkload(workload string) (Measure, bool) {
	if m.derived != nil || m.metric.Selector.Workload != "" {
		return Measure{}, false
	}
	m.metric.Selector.Workload = workload
	return m, true
}

// MergeWorkloads returns what the rows of one point and one seed say together, one row
// for each workload. A metric of all workloads is the mean over them, where each has a
// value. The metrics in asked that name a workload have the value of its row. Rejections
// are added up. A row that failed makes the whole fail. It is never stored.
func MergeWorkloads(rows []Row, asked []Metric) Row {
	merged := Row{Key: rows[0].Key, Point: rows[0].Point, Seed: rows[0].Seed, Share: rows[0].Share}
	for i := range rows {
		if r := &rows[i]; r.Failed() {
			merged.Error, merged.Lost = fmt.Sprintf("workload %s: %s", r.Workload, r.Error), r.Lost
			return merged
		}
	}
	merged.Decisions = mergeDecisions(rows)
	values := meansOf(rows)
	for i := range rows {
		for reason, n := range rows[i].RejectedBy {
			if merged.RejectedBy == nil {
				merged.RejectedBy = Rejections{}
			}
			merged.RejectedBy[reason] += n
		}
		for _, m := range asked {
			if m.Selector.Workload != rows[i].Workload {
				continue
			}
			of, _ := m.Under(rows[i].Workload)
			if value, ok := rows[i].Metrics.Get(of.String()); ok {
				values[m.String()] = value
			}
		}
	}
	merged.Metrics = NewMetrics(values)
	return merged
}

// meansOf returns the means of the metrics that all rows have.
func meansOf(rows []Row) map[string]float64 {
	means := map[string]float64{}
	place := 0
	for name, first := range rows[0].Metrics.All() {
		sum, complete := first, true
		for i := range rows[1:] {
			value, ok := rows[1+i].Metrics.getAt(place, name, rows[0].Metrics)
			sum, complete = sum+value, complete && ok
		}
		if complete {
			means[name] = sum / float64(len(rows))
		}
		place++
	}
	return means
}
