// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// RunData are the numbers of a run's page, in the units in which people read them.
type RunData struct {
	Seeds   []int64  `json:"seeds"`
	Figures []Figure `json:"figures"`
	// Series is nil without series.
	Series *SeriesData `json:"series,omitempty"`
}

// Figure is a metric of a group of requests.
type Figure struct {
	// Name is the metric's, and Of the group's: "all" is that of all requests.
	Name string `json:"name"`
	Of   string `json:"of"`
	Unit string `json:"unit,omitempty"`
	// Low and High are the ends of the interval, null for one seed; N is how many seeds
	// have the figure.
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	N    int      `json:"n"`
}

// allRequests is the group of all requests.
const allRequests = "all"

// NewRunData returns the numbers of a report.
func NewRunData(r *report.RunReport) *RunData {
	d := &RunData{Seeds: r.Seeds(), Figures: []Figure{}, Series: NewSeriesData(namedSeries(r))}
	for _, from := range r.Figures() {
		m, display := from.Metric, from.Metric.Unit().Display()
		of := allRequests
		if s := m.Selector; s != (result.Selector{}) {
			of = s.Dimension() + " " + cmp.Or(s.Class, s.Tenant, s.Pool, s.Model)
		}
		m.Selector = result.Selector{}
		f := Figure{Name: m.String(), Of: of, Unit: display.Suffix, Mean: number(from.Mean * display.Factor), N: from.N}
		if from.N > 1 {
			f.Low, f.High = number(from.Metric.Unit().LowEnd(from.Low)*display.Factor), number(from.High*display.Factor)
		}
		d.Figures = append(d.Figures, f)
	}
	return d
}

// namedSeries are the run's, with its targets.
func namedSeries(r *report.RunReport) []NamedSeries {
	if r.Series == nil {
		return nil
	}
	n := NamedSeries{Series: r.Series, Documents: r.Documents, Targets: r.Targets}
	for _, d := range r.Documents {
		n.WarmUpSeconds += d.WarmUpSeconds / float64(len(r.Documents))
	}
	return []NamedSeries{n}
}
