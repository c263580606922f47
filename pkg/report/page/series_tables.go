// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// mostSlices is how many rows a table over time has at most.
const mostSlices = 12

// timeTables are the lines of pools, and of a gateway where something waited, in a few bins.
func timeTables(all []NamedSeries) []report.CaptionedTable {
	var tables []report.CaptionedTable
	for _, of := range all {
		if of.Series == nil {
			continue
		}
		s, _ := result.MergeSeries(of.Series) // a copy
		for len(s.Lasted) > mostSlices {
			s.Widen()
		}
		s.Replicas = nil
		d := NewSeriesData([]NamedSeries{{Name: of.Name, Series: s}})
		for i := range d.Tracks {
			tables = append(tables, d.timeTable(&d.Tracks[i]))
		}
	}
	return tables
}

// timeTable is the table of a track.
func (d *SeriesData) timeTable(t *LineTrack) report.CaptionedTable {
	table := report.CaptionedTable{Caption: strings.TrimSpace(t.Of + " " + t.Kind + " " + t.Name)}
	if t.Kind == gatewayKind || t.Kind == routerKind {
		table.Caption = strings.TrimSpace(t.Of + " " + t.Name)
	}
	table.Titles = []string{"from s"}
	var columns [][]*float64
	for _, l := range d.Lines {
		if values := t.Lines[l.Name]; values != nil {
			table.Titles, columns = append(table.Titles, strings.TrimSpace(l.Title+" "+l.Unit)), append(columns, values)
		}
	}
	for i := 0; len(columns) > 0 && i < len(columns[0]); i++ {
		row := []string{strconv.FormatFloat(float64(i)*d.BinSeconds, 'g', 4, 64)}
		for _, values := range columns {
			row = append(row, valueText(values[i]))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// valueText is a value of a chart as text.
func valueText(x *float64) string {
	if x == nil {
		return figure.Absent
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}

// shares are the quantiles of a table of distributions, in percent.
var shares = []float64{50, 90, 95, 99}

// curveTable has quantiles of each distribution: the upper ends of the steps of the curves.
func (d *SeriesData) curveTable() report.CaptionedTable {
	table := report.CaptionedTable{Caption: "Quantiles of the requests of all seeds together, at most"}
	several := false
	for i := range d.Curves {
		several = several || d.Curves[i].Of != d.Curves[0].Of
	}
	if several {
		table.Titles = append(table.Titles, "candidate")
	}
	table.Titles = append(table.Titles, "latency ms", "class", "count")
	for _, share := range shares {
		table.Titles = append(table.Titles, "p"+figure.Shortest(share))
	}
	table.Titles = append(table.Titles, "target", "within it")
	for latency := range d.Latencies {
		for i := range d.Curves {
			if c := &d.Curves[i]; c.Latency == latency {
				row := c.row(d.Latencies[latency].Name)
				if several {
					row = append([]string{c.Of}, row...)
				}
				table.Rows = append(table.Rows, row)
			}
		}
	}
	return table
}

func (c *Curve) row(latency string) []string {
	row := []string{latency, c.Class, strconv.FormatInt(c.Count, 10)}
	for _, share := range shares {
		row = append(row, c.quantile(share))
	}
	if c.Target == nil {
		return append(row, "", "")
	}
	return append(row, figure.Shortest(*c.Target), figure.Fixed(c.below(*c.Target), 1)+" %")
}

// quantile is the least value of the curve below which so many percent are.
func (c *Curve) quantile(percent float64) string {
	for i, share := range c.Shares {
		if share >= percent {
			return strconv.FormatFloat(c.Values[i], 'g', 4, 64)
		}
	}
	return figure.Absent
}

// below is how many percent are below a value, at least.
func (c *Curve) below(value float64) float64 {
	below := 0.0
	for i, x := range c.Values {
		if x <= value {
			below = c.Shares[i]
		}
	}
	return below
}

// replicaTable has the totals of replicas; of pools where replicas have none.
func replicaTable(s *result.Series) report.CaptionedTable {
	lines := s.Lines()
	table := report.CaptionedTable{
		Caption: "Replicas over the whole runs, the warm-up and the drain included",
		Table: report.Table{Titles: []string{
			"replica", "requests", "share", "cache hits", "utilization", "waiting", "most waiting", "running", "most running", "KV usage", "most KV usage",
		}},
	}
	tracks := lines.Replicas
	if len(tracks) == 0 {
		tracks, table.Titles[0] = lines.Pools, "pool"
	}
	all := int64(0)
	for i := range tracks {
		all += tracks[i].Total.Requests
	}
	for i := range tracks {
		t := tracks[i].Total
		table.Rows = append(table.Rows, []string{
			tracks[i].Name, strconv.FormatInt(t.Requests, 10), percentText(quotient(t.Requests, all)), percentText(t.HitShare), percentText(t.Utilization),
			meanText(t.MeanWaiting), strconv.FormatInt(t.PeakWaiting, 10), meanText(t.MeanRunning), strconv.FormatInt(t.PeakRunning, 10),
			percentText(t.MeanKVUsage), percentText(&t.PeakKVUsage),
		})
	}
	return table
}

func quotient(of, by int64) *float64 {
	if by == 0 {
		return nil
	}
	return new(float64(of) / float64(by))
}

func percentText(share *float64) string {
	if share == nil {
		return figure.Absent
	}
	return figure.Fixed(*share*100, 1) + " %"
}

func meanText(x *float64) string {
	if x == nil {
		return figure.Absent
	}
	return figure.Fixed(*x, 2)
}
