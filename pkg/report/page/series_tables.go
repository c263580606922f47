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
		row := []string{valueText(short(float64(i) * d.BinSeconds))}
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

// quantiles are those of a table of latencies.
var quantiles = []string{"p50", "p90", "p95", "p99"}

// quantileTable has quantiles of the distributions. They are means over the seeds, as all figures of the
// page: the curves have few points, and are of the requests of all seeds together.
func quantileTable(all []NamedSeries) report.CaptionedTable {
	table := report.CaptionedTable{Caption: "Quantiles by class in ms: means over the seeds"}
	several := len(all) > 1
	if several {
		table.Titles = append(table.Titles, "candidate")
	}
	table.Titles = append(append(append(table.Titles, "latency", "class"), quantiles...), "target", "within it")
	for _, latency := range latencyAxes() {
		for i := range all {
			of := &all[i]
			for _, d := range of.Series.Distributions {
				if d.Metric != latency.Name {
					continue
				}
				row := of.quantileRow(latency.Name, d.Class)
				if several {
					row = append([]string{of.Name}, row...)
				}
				table.Rows = append(table.Rows, row)
			}
		}
	}
	return table
}

// quantileRow has the quantiles of a latency, and how many requests meet its target.
func (n *NamedSeries) quantileRow(latency, class string) []string {
	row := []string{latency, class}
	for _, q := range quantiles {
		text, _ := strings.CutSuffix(n.estimate(latency+"."+q, class), " "+result.Seconds.Display().Suffix)
		row = append(row, text)
	}
	for _, t := range n.Targets {
		if t.Class == class && t.Latency == latency {
			return append(row, result.Seconds.Text(t.Seconds), n.estimate("attainment."+latency, class))
		}
	}
	return append(row, "", "")
}

// estimate is a figure of a class over the seeds.
func (n *NamedSeries) estimate(metric, class string) string {
	m := result.MustParseMetric(metric)
	m.Selector.Class = class
	text, ok := (&report.RunReport{Documents: n.Documents}).Estimate(m)
	if !ok {
		return figure.Absent
	}
	return text
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
