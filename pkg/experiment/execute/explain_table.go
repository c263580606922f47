// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Table prints the story for people: what the router knew of each endpoint, what
// each profile made of that, and what became of the request.
func (s *RequestStory) Table(w io.Writer) error {
	var b bytes.Buffer
	for i, d := range s.Decisions {
		if i > 0 {
			b.WriteString("\nThe replica failed, and the request was routed again.\n\n")
		}
		t := decisionTable{&b, d}
		t.request()
		t.gateway()
		t.signals()
		t.admission()
		for i := range d.Profiles {
			t.profile(&d.Profiles[i])
		}
		t.decision()
	}
	fmt.Fprintln(&b, s.Outcome)
	_, err := b.WriteTo(w)
	return err
}

// String says in a sentence how the request ended.
func (o RequestResult) String() string {
	if o.Ended != "completed" {
		return "It ended " + o.Ended + o.why() + "."
	}
	return fmt.Sprintf("It completed: first token after %s, last after %s; %d output tokens, %d prompt tokens from the cache.",
		milliseconds(o.TTFTSeconds), milliseconds(o.E2ESeconds), o.OutputTokens, o.CachedTokens)
}

// why adds the reason to how a request ended that did not complete.
func (o RequestResult) why() string {
	text := ""
	if o.Reason != "" && o.Reason != o.Ended {
		text = " as " + o.Reason
	}
	if meaning := result.RejectionMeaning(o.Reason); meaning != "" {
		text += ": " + meaning
	}
	if o.By != "" {
		text += "; " + o.By + " decided that"
	}
	return text
}

func milliseconds(seconds float64) string {
	return strconv.FormatFloat(seconds*1000, 'f', 1, 64) + " ms"
}

// A decisionTable prints one decision.
type decisionTable struct {
	*bytes.Buffer
	*RoutingRecord
}

func (t decisionTable) request() {
	r := &t.Request
	fmt.Fprintf(t, "request %d, seed %d, at %s s: %d prompt tokens, tenant %s, class %s, priority %d", r.ID, t.Seed,
		seconds(t.AtSeconds), r.PromptTokens, t.Tenant, t.Class, r.Priority)
	if r.Session != 0 {
		fmt.Fprintf(t, ", session %d", r.Session)
	}
	if r.Adapter != 0 {
		fmt.Fprintf(t, ", adapter %s", t.adapter(r.Adapter))
	}
	if t.EPP != 0 {
		fmt.Fprintf(t, ", EPP %d", t.EPP)
	}
	if waited := t.AtSeconds - r.ArrivalSeconds; waited > 0 {
		fmt.Fprintf(t, ", %s after its arrival", milliseconds(waited))
	}
	t.WriteString("\n\n")
}

// signals are what the router knew, and how old that was.
func (t decisionTable) signals() {
	rows := newColumns(t.Names)
	rows.add("scrape", t.scrapeAge)
	rows.add("waiting", func(e int) string { return strconv.Itoa(t.Endpoints[e].Waiting) })
	rows.add("running", func(e int) string { return strconv.Itoa(t.Endpoints[e].Running) })
	rows.add("KV used", func(e int) string { return share(t.Endpoints[e].KVUsage) })
	rows.add("adapters", func(e int) string { return t.adapters(t.Endpoints[e].Adapters) })
	for i := range t.Prefixes {
		p := &t.Prefixes[i]
		rows.add(p.Name, func(e int) string { return fmt.Sprintf("%d of %d blocks", p.Blocks[e], p.TotalBlocks) })
	}
	for i := range t.InFlight {
		f := &t.InFlight[i]
		rows.add(f.Name, func(e int) string { return inFlight(f, e) })
	}
	for i := range t.Predictions {
		p := &t.Predictions[i]
		rows.add(p.Name, func(e int) string { return predicted(p, e) })
	}
	rows.write(t.Buffer)
	for _, p := range t.Prefixes {
		fmt.Fprintf(t, "%s: %s; blocks of %d tokens\n", p.Name, p.Freshness, p.BlockTokens)
	}
	for _, f := range t.InFlight {
		fmt.Fprintf(t, "%s: %s\n", f.Name, f.Freshness)
	}
	for _, p := range t.Predictions {
		fmt.Fprintf(t, "%s: %s\n", p.Name, p.Freshness)
	}
	if t.Signals != "" {
		fmt.Fprintf(t, "signals %s: the metrics are as of the decision\n", t.Signals)
	}
	for e, s := range t.Endpoints {
		if s.Anomaly != "" {
			fmt.Fprintf(t, "anomaly: %s %s\n", t.Names[e], s.Anomaly)
		}
	}
	t.WriteByte('\n')
}

func (t decisionTable) scrapeAge(endpoint int) string {
	switch s := &t.Endpoints[endpoint]; {
	case s.Down:
		return "gone"
	case s.ScrapeAgeSeconds == nil:
		return "none"
	case t.Signals != "":
		return "now"
	default:
		return milliseconds(*s.ScrapeAgeSeconds) + " old"
	}
}

// adapters are those of an endpoint that requests run with there, those that wait,
// and how many places there are.
func (t decisionTable) adapters(a *scheduler.AdapterSignal) string {
	if a == nil {
		return ""
	}
	text := "none"
	if len(a.Active) > 0 {
		text = t.adapterList(a.Active)
	}
	if len(a.Waiting) > 0 {
		text += "; waiting " + t.adapterList(a.Waiting)
	}
	return fmt.Sprintf("%s; at most %d", text, a.Max)
}

func (t decisionTable) adapterList(numbers []int32) string {
	var names []string
	for _, n := range numbers {
		names = append(names, t.adapter(n))
	}
	return strings.Join(names, ", ")
}

// adapter is the name of an adapter, or its number where it has none.
func (t decisionTable) adapter(number int32) string {
	if i := int(number) - 1; i >= 0 && i < len(t.AdapterNames) {
		return t.AdapterNames[i]
	}
	return strconv.Itoa(int(number))
}

func inFlight(f *scheduler.InFlightSignal, endpoint int) string {
	if f.Tokens == nil {
		return fmt.Sprintf("requests %d", f.Requests[endpoint])
	}
	text := fmt.Sprintf("requests %d, tokens %d", f.Requests[endpoint], f.Tokens[endpoint])
	if f.Uncached != nil {
		text += fmt.Sprintf(" + %d", f.Uncached[endpoint])
	}
	return text
}

// predicted is the TTFT and, where it is predicted, the TPOT of the request on an endpoint.
func predicted(p *scheduler.PredictionSignal, endpoint int) string {
	ttft, tpot := float64(p.TTFTSeconds[endpoint]), float64(p.TPOTSeconds[endpoint])
	switch {
	case math.IsNaN(ttft):
		return "nothing"
	case math.IsNaN(tpot):
		return "ttft " + milliseconds(ttft)
	}
	return fmt.Sprintf("ttft %s, tpot %s", milliseconds(ttft), milliseconds(tpot))
}

func (t decisionTable) admission() {
	a := &t.Admission
	if a.Detector == (scheduler.PluginName{}) {
		return // a policy that admits all
	}
	if a.RefusedBy != nil {
		fmt.Fprintf(t, "rejected by %s; ", a.RefusedBy.Name)
	}
	fmt.Fprintf(t, "saturation %s by %s\n\n", figureOf(a.Saturation), a.Detector.Name)
}

func (t decisionTable) profile(p *scheduler.ProfileRun) {
	fmt.Fprintf(t, "profile %s\n", p.Profile)
	rows := newColumns(t.Names)
	for i := range p.Filters {
		rows.add(p.Filters[i].Name, func(e int) string { return passes(p, i, e) })
	}
	for i := range p.Scorers {
		s := &p.Scorers[i]
		rows.add(s.Name+" ×"+figureOf(s.Weight), ofCandidate(p, func(at int) string { return scoreOf(s, at) }))
	}
	if len(p.Scorers) > 0 || slices.ContainsFunc(p.Scores, func(n scheduler.Number) bool { return n != 0 }) {
		rows.add("total", ofCandidate(p, func(at int) string { return figureOf(p.Scores[at]) }))
	}
	rows.add("", func(e int) string { return t.verdict(p, e) })
	rows.write(t.Buffer)
	t.WriteString(t.pick(p) + "\n\n")
}

// passes says what a filter made of an endpoint: nothing if it was gone, or one
// before took it out.
func passes(p *scheduler.ProfileRun, filter, endpoint int) string {
	if !slices.Contains(p.Endpoints, endpoint) {
		return ""
	}
	for i := range filter {
		if slices.Contains(p.Filters[i].Dropped, endpoint) {
			return ""
		}
	}
	if slices.Contains(p.Filters[filter].Dropped, endpoint) {
		return "dropped"
	}
	return "✓"
}

// ofCandidate leaves out the endpoints that are no candidates.
func ofCandidate(p *scheduler.ProfileRun, text func(at int) string) func(endpoint int) string {
	return func(endpoint int) string {
		if at := slices.Index(p.Candidates, endpoint); at >= 0 && p.Chosen != nil {
			return text(at)
		}
		return ""
	}
}

// scoreOf is raw → weighted, and between them what was clamped.
func scoreOf(s *scheduler.ScorerRun, at int) string {
	text := figureOf(s.Raw[at])
	if s.Clamped[at] != s.Raw[at] {
		text += " → " + figureOf(s.Clamped[at])
	}
	return text + " → " + figureOf(s.Weighted[at])
}

func (t decisionTable) verdict(p *scheduler.ProfileRun, endpoint int) string {
	switch {
	case t.Endpoints[endpoint].Down:
		return "gone"
	case p.Chosen != nil && *p.Chosen == endpoint:
		return "picked"
	default:
		return ""
	}
}

func (t decisionTable) pick(p *scheduler.ProfileRun) string {
	if p.Chosen == nil {
		return "no candidate was left"
	}
	text := fmt.Sprintf("%s picked %s", p.Picker.Name, t.Names[*p.Chosen])
	if p.Tied > 1 {
		text += fmt.Sprintf("; %d tied at the top", p.Tied)
	}
	if p.ByChance {
		text += "; chance decided"
	}
	return text
}

// decision is what came of the profiles.
func (t decisionTable) decision() {
	if t.Decider != nil {
		fmt.Fprintf(t, "%s on a prefill apart: %s\n", t.Decider.Name, t.Decider.Reason)
	}
	switch {
	case t.Endpoint == nil && t.Error == "":
		t.WriteString("It waited at the gateway, and went nowhere.\n")
	case t.Endpoint == nil:
		fmt.Fprintf(t, "It went nowhere: %s.\n", t.Error)
	case t.Prefill != nil:
		fmt.Fprintf(t, "It went to %s for its prompt, then to %s%s.\n", t.Names[*t.Prefill], t.Names[*t.Endpoint], t.rank())
	default:
		fmt.Fprintf(t, "It went to %s%s.\n", t.Names[*t.Endpoint], t.rank())
	}
	if t.Endpoint != nil && t.Rejected != "" {
		fmt.Fprintf(t, "The engine refused it: %s.\n", t.Rejected)
	}
}

// rank says which rank the engine chose, where it did.
func (t decisionTable) rank() string {
	if t.Outcome == nil || t.Outcome.Rank == "" {
		return ""
	}
	return ", whose engine chose " + t.Outcome.Rank
}

// figureOf prints a number with at most six significant digits.
func figureOf(n scheduler.Number) string { return experiment.Figure(float64(n)) }

func share(n scheduler.Number) string { return strconv.FormatFloat(float64(n)*100, 'f', 1, 64) + " %" }

// columns are a table with a row for each endpoint.
type columns struct{ lines []string }

func newColumns(names []string) *columns {
	return &columns{append([]string{"endpoint"}, names...)}
}

// add adds a column, unless it has nothing in it.
func (c *columns) add(header string, cell func(endpoint int) string) {
	cells, empty := []string{header}, true
	for e := range c.lines[1:] {
		text := cell(e)
		cells, empty = append(cells, text), empty && text == ""
	}
	if empty {
		return
	}
	for i, text := range cells {
		c.lines[i] += "\t" + text
	}
}

func (c *columns) write(b *bytes.Buffer) {
	var aligned bytes.Buffer
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, line := range c.lines {
		fmt.Fprintln(w, line)
	}
	_ = w.Flush() // into memory
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}
