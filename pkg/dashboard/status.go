// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// statusView is what the template of an object's progress reads.
type statusView struct {
	layout
	*Object
	Kind, Message    string
	Verdict          verdict.Outcome
	Completed, Total int64
	Progress         string
	Counts           []string
	Gates            []gateRow
	Figures          []figureRow
	HasBaseline      bool
	BestName         string
	Conditions       []metav1.Condition
	Seeds            *seedTable
	Links            []link
	FollowUps        []link
	// Self is where this page is, whatever the object's own page shows.
	Self string
	// Why says why results are not shown; "" if they are, or there are none yet.
	Why string
}

// gateRow is a gate with its outcome.
type gateRow struct {
	verdict.Outcome
	Name, Message string
	// Path is where the seeds are that decide; "" if that is not known.
	Path string
}

// figureRow is a metric of the best point and of the baseline, or of a run.
type figureRow struct{ Metric, Baseline, Best string }

// main shows an object: a sweep's report once there is one, and until then its progress. The page of a
// run has a table of its seeds, whose worst requests people look for, and a link to the run's report.
func (v *view) main() error {
	if !v.object.Ended() || v.object.Status.Results == nil && v.object.File == "" {
		return v.status()
	}
	r, err := v.read()
	if err != nil {
		return v.statusWithout(err)
	}
	if r.Report != nil {
		return r.report()
	}
	return v.statusWith(r)
}

// status shows where the work of an object stands.
func (v *view) status() error {
	if v.object.Resource == Runs && v.object.Ended() {
		if r, err := v.read(); err == nil {
			return v.statusWith(r)
		}
	}
	return v.render(statusTemplate(), v.newStatus())
}

// statusWithout shows the status of an object whose results the reader cannot be shown.
func (v *view) statusWithout(err error) error {
	s := v.newStatus()
	if s.Why = v.reasonOrLog(err); s.Why == "" {
		s.Why = "The results cannot be read; the server's log has the reason."
	}
	return v.render(statusTemplate(), s)
}

// reasonOrLog is what an error tells a reader. Other errors go to the log.
func (v *view) reasonOrLog(err error) string {
	reason := reasonFor(err)
	if reason == "" {
		v.Log.Error(err, "Results cannot be shown", "path", v.URL.Path)
	}
	return reason
}

// statusWith shows the status of an object with its seeds.
func (v *view) statusWith(r *reading) error {
	s := v.newStatus()
	if v.object.Resource == Runs && len(r.Rows) > 0 {
		seeds := r.seedsOf(0, r.Rows)
		s.Seeds = &seeds
	}
	if r.ReportFault != nil {
		s.Why = "There is no report. " + cmp.Or(v.reasonOrLog(r.ReportFault), "The server's log has the reason.")
	}
	return v.render(statusTemplate(), s)
}

func (v *view) newStatus() *statusView {
	o := v.object
	s := &statusView{
		layout: v.layout(o.Name, o.path()+"/events"), Object: o, Kind: o.Resource.Kind(), Message: o.Message(),
		Verdict: o.judged(), Conditions: o.Status.Conditions, Progress: shortProgress(o),
	}
	s.Self, s.Since = o.path()+"/status", o.Version
	if o.File != "" {
		s.Events = "" // a file's page changes only as a whole
	}
	if p := o.Status.Progress; p != nil {
		s.Completed, s.Total, s.Counts = p.Completed, p.Total, countsOf(p)
	}
	for _, g := range o.Status.Gates {
		s.Gates = append(s.Gates, gateRow{verdict.Outcome(g.Verdict), g.Name, g.Message, o.decidingPath()})
	}
	s.figures()
	s.Links = o.links()
	for _, name := range o.Followed {
		s.FollowUps = append(s.FollowUps, link{name, Key{Runs, o.Namespace, name}.path()})
	}
	return s
}

// decidingPath is where the seeds are that gates judge: of a run, and of a sweep's best point.
func (o *Object) decidingPath() string {
	switch {
	case o.Resource == Runs:
		return o.pointPath(0)
	case o.Best != nil:
		return o.pointPath(int(o.Best.Point))
	default:
		return ""
	}
}

// countsOf are the counts of a progress in words.
func countsOf(p *v1alpha1.ProgressStatus) []string {
	var counts []string
	add := func(n int64, text string) {
		if n > 0 {
			counts = append(counts, fmt.Sprintf(text, n))
		}
	}
	add(int64(p.Round), "round %d")
	if p.Shards > 0 {
		counts = append(counts, figure.Plural(int(p.Shards), "shard"))
	}
	add(p.Underway, "%d finished in running shards")
	add(p.Failed, "%d failed")
	add(p.Reused, "%d reused")
	return counts
}

// figures are the objectives of the best point and of the baseline, or the metrics of a run.
func (s *statusView) figures() {
	if s.Resource == Runs {
		for _, m := range s.Metrics {
			s.Figures = append(s.Figures, figureRow{Metric: m.Metric, Best: estimateText(m)})
		}
		return
	}
	if s.Best == nil {
		return
	}
	s.BestName = s.Best.Summary
	base := map[string]string{}
	if s.Baseline != nil {
		s.HasBaseline = true
		for _, m := range s.Baseline.Objectives {
			base[m.Metric] = estimateText(m)
		}
	}
	for _, m := range s.Best.Objectives {
		s.Figures = append(s.Figures, figureRow{m.Metric, base[m.Metric], estimateText(m)})
	}
}

// estimateText is a mean with the ends of its interval.
func estimateText(m v1alpha1.MetricValue) string {
	text := valueText(m.Metric, m.Mean)
	if m.Low == "" || m.High == "" {
		return text
	}
	return text + " (" + lowText(m.Metric, m.Low) + " to " + valueText(m.Metric, m.High) + ")"
}

// links are the other pages of an object that has results.
func (o *Object) links() []link {
	if o.Status.Results == nil && o.File == "" {
		return nil
	}
	p := o.path()
	files := []link{
		{"Rows as JSON", p + "/rows.json"}, {"Rows as CSV", p + "/rows.csv"},
		{"Report as a file", p + "/report.html"}, {"Report as Markdown", p + "/report.md"},
	}
	if o.Resource == Runs {
		return append([]link{{"Report", p + "/report"}}, files...)
	}
	list := []link{{"Points and seeds", p + "/points"}}
	if o.Best != nil && o.Baseline != nil && o.Best.Point != o.Baseline.Point {
		list = append(list, link{"Compare two points", fmt.Sprintf("%s/compare?a=%d&b=%d", p, o.Baseline.Point, o.Best.Point)})
	}
	return append(list, files...)
}

// label names an object in titles and names of files.
func (o *Object) label() string { return strings.Join([]string{o.Namespace, o.Name}, "-") }
