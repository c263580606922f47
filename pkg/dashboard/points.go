// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
)

// mostPoints is how many points a page of points has.
const mostPoints = 200

// pointsView is what the template of a sweep's points reads.
type pointsView struct {
	layout
	*Object
	Objectives   []string
	Points       []pointRow
	All          int
	Before, Next string
	First, Last  int
	// BestPoint and BasePoint are what the form of a comparison begins with; it has the points of the page.
	BestPoint, BasePoint int
}

// pointRow is a point in a list.
type pointRow struct {
	Rank, Point    int
	Name, Standing string
	Path           string
	Pareto         string
	Values         []string
	Difference     string
}

// points lists the points of a sweep by rank; those without a rank by number.
func (r *reading) points() error {
	l := &pointsView{layout: r.layout("Points of "+r.object.Name, ""), Object: r.object}
	l.Trail = append(l.Trail, link{r.object.Name, r.object.path()})
	rows := r.ranked(l)
	l.All = len(rows)
	from, _ := strconv.Atoi(r.FormValue("from"))
	from = min(max(from, 0), max(0, (len(rows)-1)/mostPoints*mostPoints))
	end := min(from+mostPoints, len(rows))
	l.Points, l.First, l.Last = rows[from:end], from+1, end
	if from > 0 {
		l.Before = "?from=" + strconv.Itoa(max(0, from-mostPoints))
	}
	if end < len(rows) {
		l.Next = "?from=" + strconv.Itoa(end)
	}
	return r.render(pointsTemplate(), l)
}

// ranked are the points in the order of the leaderboard, or without one in that of their numbers.
func (r *reading) ranked(l *pointsView) []pointRow {
	if r.Report == nil {
		numbers := map[int]bool{}
		for i := range r.Rows {
			numbers[r.Rows[i].Point] = true
		}
		var rows []pointRow
		for _, n := range slices.Sorted(maps.Keys(numbers)) {
			rows = append(rows, pointRow{Point: n, Name: r.pointName(n), Path: r.object.pointPath(n)})
		}
		return rows
	}
	report := r.Report.Report
	l.BestPoint = report.Best
	for _, o := range report.Board.Objectives {
		l.Objectives = append(l.Objectives, o.Measure.Unit().Title(o.Measure.String()))
	}
	var rows []pointRow
	for i := range report.Board.Candidates {
		c := &report.Board.Candidates[i]
		row := pointRow{Rank: c.Rank, Point: c.Point, Name: c.Name(), Standing: string(c.Standing), Path: r.object.pointPath(c.Point)}
		if c.Pareto {
			row.Pareto = "front"
		}
		for _, o := range report.Board.Objectives {
			row.Values = append(row.Values, report.Estimate(c, o.Measure))
		}
		switch {
		case c.Baseline:
			row.Difference, l.BasePoint = "the baseline", c.Point
		case len(c.VersusBaseline) > 0:
			mean, margin, verdict := c.VersusBaseline[0].Texts(len(report.Board.Seeds))
			row.Difference = strings.TrimSpace(mean + " " + margin + ", " + verdict)
		}
		rows = append(rows, row)
	}
	return rows
}

// pointView is what the template of a point reads.
type pointView struct {
	layout
	*Object
	Point       int
	Name        string
	Parameters  []result.Assignment
	Seeds       seedTable
	Compare     string
	HasManifest bool
}

// point shows the seeds of a point.
func (r *reading) point() error {
	point, rows, err := r.pointOf()
	if err != nil {
		return err
	}
	p := &pointView{
		layout: r.layout(r.titleOf(point), ""), Object: r.object, Point: point, Name: r.pointName(point),
		Parameters: r.Parameters[point], Seeds: r.seedsOf(point, rows), HasManifest: r.Run != nil,
	}
	p.Trail = append(p.Trail, r.trail()...)
	if b := r.object.Baseline; b != nil && int(b.Point) != point {
		p.Compare = r.object.path() + "/compare?a=" + strconv.FormatInt(b.Point, 10) + "&b=" + strconv.Itoa(point)
	}
	return r.render(pointTemplate(), p)
}

// titleOf names a point by its values, or a run, which has one point.
func (r *reading) titleOf(point int) string {
	switch {
	case r.object.Resource == Runs:
		return "Seeds of " + r.object.Name
	case len(r.Parameters[point]) == 0:
		return "Point " + strconv.Itoa(point) + " of " + r.object.Name
	}
	return r.pointName(point) + " in " + r.object.Name
}

// trail are the pages above that of a point.
func (r *reading) trail() []link {
	list := []link{{r.object.Name, r.object.path()}}
	if r.object.Resource == Sweeps {
		list = append(list, link{"Points", r.object.path() + "/points"})
	}
	return list
}
