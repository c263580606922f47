// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// minClampNote is the share of its mean by which clamping must move a mean, for a note to
// say so.
const minClampNote = 0.05

// clampNotes name the lengths, numbers and durations of clients whose mean is another after
// rounding and clamping to min and max.
func clampNotes(in *v1alpha1.Workload, path *field.Path) []string {
	n := clampNoter{known: map[string]string{}}
	for i := range in.Clients {
		n.client(&in.Clients[i], path.Child("clients").Index(i))
	}
	return n.notes
}

// clampNoter gathers notes. Equal distributions are looked at once.
type clampNoter struct {
	notes []string
	known map[string]string
}

func (n *clampNoter) client(c *v1alpha1.Client, at *field.Path) {
	n.lengths(&c.InputTokens, "tokens", at.Child("inputTokens"))
	n.lengths(&c.OutputTokens, "tokens", at.Child("outputTokens"))
	if r := c.Reasoning; r != nil {
		n.amounts(&r.Steps, workload.MaxSteps, "steps", at.Child("reasoning", "steps"))
		n.tokens(&r.TokensPerStep, at.Child("reasoning", "tokensPerStep"))
	}
	for i := range c.Media {
		media := at.Child("media").Index(i)
		n.amounts(&c.Media[i].Count, workload.MaxMedia, "media", media.Child("count"))
		n.tokens(&c.Media[i].Tokens, media.Child("tokens"))
	}
	if c.Prefix != nil && c.Prefix.Examples != nil {
		e, examples := c.Prefix.Examples, at.Child("prefix", "examples")
		n.amounts(&e.Count, min(workload.MaxExamples, int(e.Pool)), "examples", examples.Child("count"))
		n.tokens(&e.Tokens, examples.Child("tokens"))
	}
	if c.ClosedLoop != nil {
		n.durations(c.ClosedLoop.ThinkTime, at.Child("closedLoop", "thinkTime"))
	}
	if c.Sessions != nil {
		n.sessions(c.Sessions, at.Child("sessions"))
	}
}

func (n *clampNoter) sessions(s *v1alpha1.Sessions, at *field.Path) {
	n.lengths(&s.Turns, "turns", at.Child("turns"))
	n.durations(s.ThinkTime, at.Child("thinkTime"))
	if t := s.Tools; t != nil {
		n.amounts(&t.Calls, workload.MaxCalls, "calls", at.Child("tools", "calls"))
		n.durations(&t.Latency, at.Child("tools", "latency"))
		n.tokens(&t.ResultTokens, at.Child("tools", "resultTokens"))
	}
	if b := s.Branches; b != nil {
		n.amounts(&b.Count, workload.MaxBranches, "branches", at.Child("branches", "count"))
		if b.InputTokens != nil {
			n.tokens(b.InputTokens, at.Child("branches", "inputTokens"))
		}
	}
}

// note adds what is said of a distribution that is written so, if something is.
func (n *clampNoter) note(written string, at *field.Path, say func() string) {
	if _, ok := n.known[written]; !ok {
		n.known[written] = say()
	}
	if text := n.known[written]; text != "" {
		n.notes = append(n.notes, fmt.Sprintf("%s: %s", at, text))
	}
}

// lengths adds a note of lengths, or of numbers of something.
func (n *clampNoter) lengths(l *v1alpha1.Lengths, unit string, at *field.Path) {
	switch l.Distribution {
	case v1alpha1.UniformLengths, v1alpha1.ZipfLengths, v1alpha1.HistogramLengths:
		return // no mean is stated
	}
	bounded := *l
	bounded.Max = nil
	n.note(fmt.Sprintf("%+v, at most %d %s", bounded, ptr.Deref(l.Max, 0), unit), at, func() string {
		lengths := buildLengths(*l)
		after, standardError := lengths.ClampedMean()
		return clampNote(lengths.Distribution.Expectation(), after, standardError, func(x float64) string { return twoDigits(x) + " " + unit })
	})
}

func (n *clampNoter) tokens(a *v1alpha1.Amounts, at *field.Path) {
	n.amounts(a, workload.MaxTokens, "tokens", at)
}

// amounts adds a note of amounts of which none is above limit.
func (n *clampNoter) amounts(a *v1alpha1.Amounts, limit int, unit string, at *field.Path) {
	n.lengths(&v1alpha1.Lengths{
		Distribution: v1alpha1.LengthDistribution(a.Distribution), Mean: a.Mean, StdDev: a.StdDev, Min: a.Min,
		Max: ptr.To(ptr.Deref(a.Max, int32(limit))),
	}, unit, at)
}

func (n *clampNoter) durations(d *v1alpha1.Durations, at *field.Path) {
	if d == nil || d.Distribution == v1alpha1.UniformDurations {
		return
	}
	built := buildDurations(d)
	n.note(fmt.Sprintf("%+v", built), at, func() string {
		after, standardError := built.ClampedMean()
		return clampNote(built.Distribution.Expectation(), after, standardError, secondsInWords)
	})
}

// clampNote says what a mean is after clamping, or nothing where it is about the same.
func clampNote(before, after, standardError float64, write func(float64) string) string {
	if moved := math.Abs(after - before); moved < minClampNote*before || moved < 4*standardError || moved == 0 {
		return ""
	}
	return fmt.Sprintf("the mean is %s before rounding and clamping, and about %s after", write(before), write(after))
}

// twoDigits writes a number with two digits that count, or with more where it is whole.
func twoDigits(x float64) string {
	if x == math.Round(x) || x <= 0 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// secondsInWords writes seconds as the API writes durations, with two digits that count.
func secondsInWords(seconds float64) string {
	rounded, _ := strconv.ParseFloat(twoDigits(seconds), 64)
	return time.Duration(math.Round(rounded * 1e9)).String()
}
