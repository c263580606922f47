// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// Table prints the answers about each pick for people.
func (r *Report) Table(w io.Writer) error {
	var b bytes.Buffer
	for i := range r.Picks {
		if i > 0 {
			b.WriteByte('\n')
		}
		r.about(&b, &r.Picks[i])
	}
	_, err := b.WriteTo(w)
	return err
}

// about prints the answers about one pick.
func (r *Report) about(b *bytes.Buffer, p *Pick) {
	fmt.Fprintf(b, "What if request %d had gone elsewhere?\n", p.Request)
	var answers, impossible []*Answer
	for i := range r.Answers {
		switch a := &r.Answers[i]; {
		case a.Request != p.Request:
		case a.Impossible != "":
			impossible = append(impossible, a)
		default:
			answers = append(answers, a)
		}
	}
	switch {
	case len(answers) > 0:
		r.compared(b, p, answers)
	case len(impossible) == 0:
		fmt.Fprintf(b, "%s was the only candidate.\n", p.Name)
	}
	for _, a := range impossible {
		fmt.Fprintf(b, "endpoint %d, %s: not possible, as %s\n", a.Endpoint, cmp.Or(a.Name, figure.Absent), a.Impossible)
	}
}

// compared prints the answers about one pick that compare something.
func (r *Report) compared(b *bytes.Buffer, p *Pick, answers []*Answer) {
	var aligned bytes.Buffer
	t := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	first := answers[0]
	fmt.Fprintln(t, "endpoint\tscore\tTTFT\tE2E\town TTFT\town E2E\twindow TTFT\twindow E2E")
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\tpicked\n", p.Name, scoreOf(p.Score), latency(first.Own.TTFT.AsPicked), latency(first.Own.E2E.AsPicked))
	for _, a := range answers {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.Name, scoreOf(a.Score), latency(a.Own.TTFT.Elsewhere), latency(a.Own.E2E.Elsewhere),
			a.Own.TTFT, a.Own.E2E, a.Window.TTFT, a.Window.E2E)
	}
	fmt.Fprintf(t, "spread\t\t\t\t%s\t%s\t%s\t%s\n", latency(&first.Own.TTFT.Spread), latency(&first.Own.E2E.Spread), latency(&first.Window.TTFT.Spread), latency(&first.Window.E2E.Spread))
	_ = t.Flush() // into memory
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	r.explain(b, p, first.Window)
	for _, a := range answers {
		if n := a.Window.CompletedElsewhere; n != a.Window.CompletedAsPicked {
			fmt.Fprintf(b, "With %s, %s of the window complete.\n", a.Name, figure.Plural(n, "request"))
		}
	}
}

// explain says what the figures are.
func (r *Report) explain(b *bytes.Buffer, p *Pick, window *Comparison) {
	b.WriteString("own: the latency of the request as picked minus that elsewhere, so + is better elsewhere\n")
	fmt.Fprintf(b, "window: the same for the mean of the %s that arrive within %s s from it on", figure.Plural(window.Requests, "request"), figure.Shortest(r.WindowSeconds))
	if window.CompletedAsPicked != window.Requests {
		fmt.Fprintf(b, ", of which %d complete as picked", window.CompletedAsPicked)
	}
	b.WriteByte('\n')
	if p.ScoreRegret != nil && *p.ScoreRegret > 0 {
		fmt.Fprintf(b, "score: the pick is %s below the highest\n", experiment.Figure(float64(*p.ScoreRegret)))
	}
	if p.Flips == 0 {
		b.WriteString("spread: not known, as no later request of the window had another candidate\n")
		return
	}
	fmt.Fprintf(b, "spread: the greatest change that another pick for one later request makes, of %s, %s between equals; a difference within it is zero\n",
		figure.Plural(p.Flips, "simulation"), share(p.Ties, p.Flips))
}

// share says how many of some are ties.
func share(ties, flips int) string {
	if ties == flips {
		return "all"
	}
	if ties == 0 {
		return "none"
	}
	return strconv.Itoa(ties)
}

// String is the difference and the verdict.
func (r Regret) String() string {
	switch {
	case r.Seconds != nil:
		return figure.Signed(*r.Seconds*1000, 1) + " ms " + string(r.Verdict)
	case r.AsPicked != nil:
		return "not completed, " + string(r.Verdict)
	case r.Elsewhere != nil:
		return "completed, " + string(r.Verdict)
	default:
		return "not completed"
	}
}

func latency(seconds *float64) string {
	if seconds == nil {
		return figure.Absent
	}
	return figure.Fixed(*seconds*1000, 1) + " ms"
}

func scoreOf(score *scheduler.Number) string {
	if score == nil {
		return figure.Absent
	}
	return experiment.Figure(float64(*score))
}
