// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Query chooses, sorts and cuts rows for people and their tools.
type Query struct {
	Filters []Filter
	// Sort is the measure by which rows are sorted, those without a value last;
	// nil sorts by object, point, share,
	// seed and workload.
	Sort *result.Measure
	// Descending turns the order of Sort.
	Descending bool
	// Columns are the measures to give; nil gives every metric that some row has.
	Columns []result.Measure
	// Limit bounds the number of rows; 0 does not.
	Limit int
}

// Filter chooses rows by a measure. Rows without a value are not chosen.
type Filter struct {
	Measure result.Measure
	// Comparison is one of <, <=, =, !=, >= and >.
	Comparison string
	Value      float64
}

var filterText = regexp.MustCompile(`^\s*([^<>=!{}\s]+(?:\{[^}]*\})?)\s*(<=|>=|!=|<|>|=)\s*(\S+)\s*$`)

// ParseFilter reads a metric, a comparison and a value in the metric's unit, such as
// ttft.p99<500ms.
func ParseFilter(m result.Measures, text string, path *field.Path) (Filter, field.ErrorList) {
	parts := filterText.FindStringSubmatch(text)
	if parts == nil {
		return Filter{}, field.ErrorList{field.Invalid(path, text, "must be a metric, one of < <= = != >= >, and a value, such as ttft.p99<500ms")}
	}
	measure, errs := m.Parse(parts[1], path)
	if len(errs) > 0 {
		return Filter{}, errs
	}
	value, errs := result.ParseBound(parts[3], measure.Unit(), path)
	return Filter{Measure: measure, Comparison: parts[2], Value: value}, errs
}

func (f Filter) chooses(value float64) bool {
	switch order := cmp.Compare(value, f.Value); f.Comparison {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case ">=":
		return order >= 0
	default:
		return order > 0
	}
}

// Select returns the rows that the query asks for, in its order.
func (q *Query) Select(rows []result.Row) []result.Row {
	var chosen []result.Row
	filters := make([]result.Reader, len(q.Filters))
	for i, f := range q.Filters {
		filters[i] = f.Measure.Reader()
	}
	for i := range rows {
		keep := true
		for j, f := range filters {
			value, ok := f.Value(&rows[i])
			keep = keep && ok && q.Filters[j].chooses(value)
		}
		if keep {
			chosen = append(chosen, rows[i])
		}
	}
	q.sort(chosen)
	if q.Limit > 0 && len(chosen) > q.Limit {
		chosen = chosen[:q.Limit]
	}
	return chosen
}

func (q *Query) sort(rows []result.Row) {
	slices.SortFunc(rows, func(a, b result.Row) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), result.CompareSimulations(a, b))
	})
	if q.Sort == nil {
		return
	}
	by := q.Sort.Reader()
	slices.SortStableFunc(rows, func(a, b result.Row) int {
		x, hasX := by.Value(&a)
		y, hasY := by.Value(&b)
		switch {
		case hasX && hasY && q.Descending:
			return cmp.Compare(y, x)
		case hasX && hasY:
			return cmp.Compare(x, y)
		case hasX:
			return -1
		case hasY:
			return 1
		default:
			return 0
		}
	})
}

// columns are the measures to give of selected rows.
func (q *Query) columns(rows []result.Row) []result.Measure {
	if q.Columns != nil {
		return q.Columns
	}
	names := map[string]bool{}
	for i := range rows {
		for name := range rows[i].Metrics.All() {
			names[name] = true
		}
	}
	var columns []result.Measure
	for _, name := range slices.Sorted(maps.Keys(names)) {
		columns = append(columns, result.Of(result.MustParseMetric(name)))
	}
	return columns
}

// cells yields the figures of a row, nil for a missing one.
func cells(columns []result.Measure, r *result.Row) iter.Seq2[string, *float64] {
	return func(yield func(string, *float64) bool) {
		for _, c := range columns {
			var cell *float64
			if value, ok := c.Value(r); ok {
				cell = &value
			}
			if !yield(c.String(), cell) {
				return
			}
		}
	}
}

// PointName says which point a row is of, in rows of one object or of several.
type PointName struct {
	Object string
	Point  int
}

// PointNameOf names the point that a row is of.
func PointNameOf(r *result.Row) PointName { return PointName{r.Object, r.Point} }

// Parameters are those of each point, so that rows can say what they are of.
type Parameters map[PointName][]result.Assignment

// names lists the parameters of all points, in order of first mention by point.
func (p Parameters) names(rows []result.Row) []string {
	var names []string
	for i := range rows {
		for _, a := range p[PointNameOf(&rows[i])] {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

func (p Parameters) value(r *result.Row, name string) string {
	for _, a := range p[PointNameOf(r)] {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// haveObjects reports whether rows say which object they are of.
func haveObjects(rows []result.Row) bool {
	return slices.ContainsFunc(rows, func(r result.Row) bool { return r.Object != "" })
}

// haveWorkloads reports whether rows are of named workloads.
func haveWorkloads(rows []result.Row) bool {
	return slices.ContainsFunc(rows, func(r result.Row) bool { return r.Workload != "" })
}

// WriteCSV selects rows and writes them as a table with a header: the object where
// there are several, point, share, seed, the workload where there are several, the
// parameters, each figure in its base unit, empty if it is missing, and the error of a
// simulation that failed.
func (q *Query) WriteCSV(w io.Writer, rows []result.Row, parameters Parameters) error {
	rows = q.Select(rows)
	columns, names := q.columns(rows), parameters.names(rows)
	out := csv.NewWriter(w)
	objects, workloads := haveObjects(rows), haveWorkloads(rows)
	header := []string{"point", "share", "seed"}
	if objects {
		header = append([]string{"object"}, header...)
	}
	if workloads {
		header = append(header, "workload")
	}
	header = append(header, names...)
	for _, c := range columns {
		header = append(header, c.String())
	}
	_ = out.Write(append(header, "error")) // the writer keeps its error
	for i := range rows {
		r := &rows[i]
		line := []string{strconv.Itoa(r.Point), shortest(r.Share), strconv.FormatInt(r.Seed, 10)}
		if objects {
			line = append([]string{r.Object}, line...)
		}
		if workloads {
			line = append(line, r.Workload)
		}
		for _, name := range names {
			line = append(line, parameters.value(r, name))
		}
		for _, value := range cells(columns, r) {
			text := ""
			if value != nil {
				text = shortest(*value)
			}
			line = append(line, text)
		}
		_ = out.Write(append(line, r.Error))
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write rows as CSV: %w", err)
	}
	return nil
}

// selectedJSON is a row as a query gives it.
type selectedJSON struct {
	Object     string             `json:"object,omitempty"`
	Key        string             `json:"key,omitempty"`
	Point      int                `json:"point"`
	Share      float64            `json:"share"`
	Seed       int64              `json:"seed"`
	Workload   string             `json:"workload,omitempty"`
	Parameters map[string]string  `json:"parameters,omitempty"`
	Metrics    map[string]float64 `json:"metrics,omitempty"`
	Error      string             `json:"error,omitempty"`
}

// WriteJSON selects rows and writes them, one object a line.
func (q *Query) WriteJSON(w io.Writer, rows []result.Row, parameters Parameters) error {
	rows = q.Select(rows)
	columns := q.columns(rows)
	out := json.NewEncoder(w)
	for i := range rows {
		r := &rows[i]
		line := selectedJSON{Object: r.Object, Key: r.Key, Point: r.Point, Share: r.Share, Seed: r.Seed, Workload: r.Workload, Error: r.Error, Metrics: map[string]float64{}}
		for _, a := range parameters[PointNameOf(r)] {
			if line.Parameters == nil {
				line.Parameters = map[string]string{}
			}
			line.Parameters[a.Name] = a.Value
		}
		for name, value := range cells(columns, r) {
			if value != nil {
				line.Metrics[name] = *value
			}
		}
		if err := out.Encode(line); err != nil {
			return fmt.Errorf("write rows as JSON: %w", err)
		}
	}
	return nil
}

// shortest prints a number with as many digits as tell it from all others.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
