// SPDX-License-Identifier: Apache-2.0

package study

import (
	"math"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// PointOf is a candidate of a status as verdicts have it; nil of nil.
func PointOf(c *v1alpha1.PointStatus) *verdict.PointSummary {
	if c == nil {
		return nil
	}
	var values []string
	for _, p := range c.Parameters {
		values = append(values, p.Name+"="+p.Value)
	}
	return &verdict.PointSummary{ID: c.Point, Name: strings.Join(values, ", "), Figures: figuresOf(c)}
}

// fillPoints fills in the best point and the baseline of a board.
func (s *Study) fillPoints(v *Judged, board *result.Leaderboard) {
	for i := range board.Candidates {
		ranked := &board.Candidates[i]
		c := s.candidate(ranked)
		if i == 0 && len(s.points) > 1 {
			v.Best = PointOf(&c)
		}
		if ranked.Point == s.baseline {
			v.Baseline = PointOf(&c)
		}
	}
}

// Figure is a value in the unit that people read, with its interval where there is one.
func Figure(m v1alpha1.MetricValue) string {
	show := displayOf(m.Metric)
	text := show(m.Mean)
	if m.Low != "" && m.High != "" {
		text += " (" + show(m.Low) + " to " + show(m.High) + ")"
	}
	return text
}

// displayOf returns how the values of a metric are shown: as they are where the metric is not a
// built-in one.
func displayOf(metric string) func(string) string {
	var m result.Metric
	if m.UnmarshalText([]byte(metric)) != nil {
		return func(text string) string { return text }
	}
	d := m.Unit().Display()
	return func(text string) string {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		decimals := d.Decimals
		if decimals == result.ThreeDigits {
			decimals = threeDigits(v * d.Factor)
		}
		return strings.TrimRight(figure.Fixed(v*d.Factor, decimals)+" "+d.Suffix, " ")
	}
}

// figuresOf lists a candidate's objectives.
func figuresOf(c *v1alpha1.PointStatus) string {
	var parts []string
	for _, o := range c.Objectives {
		parts = append(parts, o.Metric+" "+Figure(o))
	}
	return strings.Join(parts, ", ")
}

// threeDigits are the decimals, at most 4, that show three digits of a number.
func threeDigits(x float64) int {
	decimals := 0
	for limit := 100.0; math.Abs(x) < limit && decimals < 4; limit /= 10 {
		decimals++
	}
	return decimals
}
