// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"math"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// factor is what a number is multiplied by: mostly from a half to twice.
func factor(s *stats.Stream) float64 { return stats.Exp(float64(0.5 * s.Normal())) }

// short rounds a number to three digits, which are enough to find and few enough to read.
func short(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil || math.IsInf(rounded, 0) || math.Abs(rounded) > 1e12 || rounded != 0 && math.Abs(rounded) < 1e-9 {
		return 0
	}
	return rounded
}

// write writes a number as words of changes have it.
func write(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// turned moves a number: by a factor, and from 0 to about a scale. Whole numbers stay so.
func turned(x, scale float64, whole bool, s *stats.Stream) float64 {
	next := float64(x * factor(s))
	if x == 0 {
		next = float64(scale * s.Float64())
	}
	next = short(next)
	if whole {
		if next = math.Round(next); next == x {
			next += float64(1 - 2*s.IntN(2))
		}
	}
	if next == 0 {
		return 0 // and not the negative one
	}
	return next
}

// turnedText moves the number or the duration that a text is; false where it is neither.
func turnedText(text string, s *stats.Stream) (string, bool) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return strconv.FormatInt(max(int64(turned(float64(n), 2, true, s)), min(n, 0)), 10), true
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
		return strconv.FormatFloat(turned(x, 1, false, s), 'f', -1, 64), true
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 && strings.ContainsAny(text, "smh") {
		return time.Duration(short(turned(float64(d), 0, false, s))).String(), true
	}
	return "", false
}

// isTurnable reports whether a text is a number or a duration.
func isTurnable(text string) bool {
	_, ok := turnedText(text, stats.NewStream(0, "turnable"))
	return ok
}

// parse reads what write wrote.
func parse(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}
