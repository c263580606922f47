// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
)

// mostRequests is how many requests the page of a seed lists.
const mostRequests = 200

// seedView is what the template of a seed reads.
type seedView struct {
	layout
	*Object
	Point int
	Seed  int64
	// Columns name the simulations: more than one where the seed had several workloads, or shares.
	Columns  []string
	Metrics  []metricRow
	Rejected []string
	Errors   []string
	Requests []requestRow
	// By is what makes requests the worst, and Stored how many have stored decisions.
	By     string
	Stored int
	// LeftOut is how many decisions had no room.
	LeftOut int
	Explain explanation
}

// metricRow is a metric by simulation.
type metricRow struct {
	Name   string
	Values []string
}

// explanation says how requests without stored decisions are explained.
type explanation struct {
	// Manifest is where the manifest is downloaded, and File what it is called then; "" if the spec is
	// not known.
	Manifest, File string
	Seed           int64
	// ConfigMaps are those that the scenario refers to.
	ConfigMaps []string
	Namespace  string
	// FollowUp is nil unless the manifest is that of a sweep, which explains no requests.
	FollowUp *followUp
}

// seed shows one seed of a point: its metrics and, if decisions are stored, its requests.
func (r *reading) seed() error {
	point, rows, err := r.pointOf()
	if err != nil {
		return err
	}
	seed, err := strconv.ParseInt(r.PathValue("seed"), 10, 64)
	if err != nil {
		return ErrNotFound
	}
	rows = slices.DeleteFunc(rows, func(row result.Row) bool { return row.Seed != seed })
	if len(rows) == 0 {
		return ErrNotFound
	}
	s := &seedView{layout: r.layout(fmt.Sprintf("Seed %d", seed), ""), Object: r.object, Point: point, Seed: seed}
	s.Trail = append(append(s.Trail, r.trail()...), link{r.pointName(point), r.object.pointPath(point)})
	if r.object.Resource == Runs {
		s.Trail = s.Trail[:len(s.Trail)-1]
	}
	s.measure(rows)
	if r.object.Resource == Runs {
		stored, err := r.stored(seed)
		if err != nil {
			return err
		}
		s.requests(stored, r.complaint(), r.object.seedPath(point, seed))
	}
	s.Explain = r.explanation(point, seed)
	return r.render(seedTemplate(), s)
}

// measure fills in the metrics of the rows, in the order of their names.
func (s *seedView) measure(rows []result.Row) {
	names := map[string]bool{}
	for i := range rows {
		row := &rows[i]
		column := row.Workload
		if row.Share < 1 {
			column = strings.TrimSpace(fmt.Sprintf("%s %s of the requests", column, strconv.FormatFloat(row.Share, 'g', 3, 64)))
		}
		if column == "" {
			column = "value"
		}
		s.Columns = append(s.Columns, column)
		if row.Error != "" {
			s.Errors = append(s.Errors, row.Error)
		}
		if len(row.RejectedBy) > 0 {
			s.Rejected = append(s.Rejected, row.RejectedBy.Shares())
		}
		for name := range row.Metrics.All() {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m := result.Of(result.MustParseMetric(name))
		row := metricRow{Name: name}
		for i := range rows {
			text := "–"
			if x, ok := m.Value(&rows[i]); ok {
				text = figureText(m, x)
			}
			row.Values = append(row.Values, text)
		}
		s.Metrics = append(s.Metrics, row)
	}
}

// explanation says how a request of a seed is explained on the reader's machine.
func (r *reading) explanation(point int, seed int64) explanation {
	e := explanation{Seed: seed, Namespace: r.object.Namespace}
	if r.Run == nil {
		if r.object.Resource == Sweeps {
			e.FollowUp = r.followUp(point)
		}
		return e
	}
	e.Manifest, e.File = r.object.pointPath(point)+"/manifest.yaml", r.manifestName(point)
	for _, in := range r.object.Status.Inputs {
		if parts := strings.SplitN(in.Name, "/", 3); parts[0] == "ConfigMap" && len(parts) > 1 && !slices.Contains(e.ConfigMaps, parts[1]) {
			e.ConfigMaps = append(e.ConfigMaps, parts[1])
		}
	}
	return e
}

// manifestName is the name of the file of a point's manifest.
func (r *reading) manifestName(point int) string {
	if r.object.Resource == Runs {
		return r.object.Name + ".yaml"
	}
	return fmt.Sprintf("%s-point-%d.yaml", r.object.Name, point)
}
