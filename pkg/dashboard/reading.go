// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/result"
)

// reading is a view of an object with its results.
type reading struct {
	*view
	*Results
}

// withResults has the results of the object read before its page is shown.
func withResults(show func(*reading) error) func(*view) error {
	return func(v *view) error {
		r, err := v.read()
		if err != nil {
			return err
		}
		return show(r)
	}
}

// read returns the object's results, if the reader may read them.
func (v *view) read() (*reading, error) {
	allowed, err := mayReadResults(v.Context(), v.reader, v.object.Namespace)
	switch {
	case err != nil:
		return nil, err
	case !allowed:
		return nil, &faultPage{http.StatusForbidden, "The results are not for you",
			fmt.Sprintf("The results of %s are in ConfigMaps. To see them you need the right to get configmaps in namespace %s.", v.object.Name, v.object.Namespace)}
	}
	if rows := v.object.Status.Results; v.MostRows > 0 && rows != nil && rows.Rows > v.MostRows {
		return nil, &faultPage{http.StatusConflict, "The results are too many for this server",
			fmt.Sprintf("%s has %d rows, and this server shows at most %d. windtunnel dashboard on your own machine has no such bound, nor does windtunnel report.", v.object.Name, rows.Rows, v.MostRows)}
	}
	end, err := v.turn()
	if err != nil {
		return nil, err
	}
	defer end()
	if known := v.recent.get(v.object); known != nil {
		return &reading{v, known}, nil
	}
	results, err := v.Source.Results(v.Context(), v.object)
	if err != nil {
		return nil, err
	}
	if lasting(results.ReportFault) {
		v.recent.put(v.object, results)
	}
	return &reading{v, results}, nil
}

// turn waits until the server has room for one more that reads or unpacks results. What it returns is to
// be called when that is over.
func (v *view) turn() (end func(), err error) {
	select {
	case v.reading <- struct{}{}:
		return func() { <-v.reading }, nil
	case <-v.Context().Done():
		return nil, v.Context().Err()
	}
}

// lasting reports whether the next page of the object would have the same report, or the same reason why
// there is none.
func lasting(reportFault error) bool {
	var fault archive.Fault
	return reportFault == nil || errors.As(reportFault, &fault)
}

// pointOf returns the point of the path, which must be one that has rows.
func (r *reading) pointOf() (point int, rows []result.Row, err error) {
	point, err = strconv.Atoi(r.PathValue("point"))
	if err != nil {
		return 0, nil, ErrNotFound
	}
	rows = r.rowsOf(point)
	if len(rows) == 0 {
		return 0, nil, ErrNotFound
	}
	return point, rows, nil
}

// rowsOf are the rows of a point.
func (r *reading) rowsOf(point int) []result.Row {
	var rows []result.Row
	for i := range r.Rows {
		if r.Rows[i].Point == point {
			rows = append(rows, r.Rows[i])
		}
	}
	return rows
}

// pointName names a point by its values.
func (r *reading) pointName(point int) string {
	c := result.Entry{Point: point, Parameters: r.Parameters[point]}
	if len(c.Parameters) == 0 {
		return fmt.Sprintf("point %d", point)
	}
	return c.Name()
}

// pointPath is where the page of a point is.
func (o *Object) pointPath(point int) string { return fmt.Sprintf("%s/points/%d", o.path(), point) }

// seedPath is where the page of a seed of a point is.
func (o *Object) seedPath(point int, seed int64) string {
	return fmt.Sprintf("%s/seeds/%d", o.pointPath(point), seed)
}

// seedTable is the seeds of a point by the metrics that matter, the worst first.
type seedTable struct {
	Titles []string
	Rows   []seedRow
	// By is the metric by which the seeds are sorted.
	By                      string
	HasWorkloads, HasShares bool
	// Total has the mean of each metric with its interval.
	Total []string
}

// seedRow is one simulation.
type seedRow struct {
	Seed                  int64
	Path, Workload, Share string
	Values                []string
	Error                 string
	worst                 float64
}

// usual are metrics that are shown of every seed.
var usual = []string{"ttft.p99", "tpot.p99", "e2e.p99", "goodput", "completionRate", "throughput.outputTokens"}

// measuresOf are the metrics to show of seeds: those that decide, then usual ones.
func (r *reading) measuresOf(rows []result.Row) []result.Measure {
	var list []result.Measure
	add := func(m result.Measure) {
		has := slices.ContainsFunc(rows, func(row result.Row) bool { _, ok := m.Value(&row); return ok })
		if has && !slices.ContainsFunc(list, func(o result.Measure) bool { return o.String() == m.String() }) {
			list = append(list, m)
		}
	}
	for _, m := range r.Deciding {
		add(m)
	}
	for _, name := range usual {
		add(result.Of(result.MustParseMetric(name)))
	}
	return list
}

// seedsOf is the table of a point's seeds.
func (r *reading) seedsOf(point int, rows []result.Row) seedTable {
	measures := r.measuresOf(rows)
	var t seedTable
	for _, m := range measures {
		t.Titles = append(t.Titles, m.String())
		t.Total = append(t.Total, meanText(m, rows))
	}
	for i := range rows {
		row := &rows[i]
		s := seedRow{Seed: row.Seed, Path: r.object.seedPath(point, row.Seed), Workload: row.Workload, Error: row.Error}
		t.HasWorkloads = t.HasWorkloads || row.Workload != ""
		if row.Share < 1 {
			t.HasShares, s.Share = true, strconv.FormatFloat(row.Share, 'g', 3, 64)
		}
		for j, m := range measures {
			value, ok := m.Value(row)
			text := "–"
			if ok {
				text = figureText(m, value)
			}
			s.Values = append(s.Values, text)
			if j == 0 && ok {
				s.worst = value
				if m.Direction() == result.Maximize {
					s.worst = -value
				}
			}
		}
		t.Rows = append(t.Rows, s)
	}
	if len(measures) > 0 {
		t.By = measures[0].String()
	}
	slices.SortStableFunc(t.Rows, func(a, b seedRow) int {
		return cmp.Or(cmp.Compare(b.Error, a.Error), cmp.Compare(b.worst, a.worst), cmp.Compare(a.Seed, b.Seed))
	})
	return t
}
