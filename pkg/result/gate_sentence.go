// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Sentence says for people what came of the gate, without a full stop, such as: the 99th percentile
// of the time to first token is 54 ms, above the limit of 20 ms. [GateResult.Message] has the
// evidence.
func (r *GateResult) Sentence() string {
	if r.Estimate == nil {
		return r.Message
	}
	words := r.Measure.subject() + " is " + r.relation()
	if r.Point != "" {
		return r.Point + ": " + words
	}
	return words
}

// relation is the estimate next to the limit, with as many digits as make them differ.
func (r *GateResult) relation() string {
	estimate, limit := "", ""
	for digits := shownDigits; digits <= 6 && estimate == limit; digits++ {
		if r.Relative {
			estimate, limit = figure.Change(*r.Estimate, digits), figure.Change(r.Bound, digits)
		} else {
			estimate, limit = r.Measure.Unit().Brief(*r.Estimate, digits), r.Measure.Unit().Brief(r.Bound, digits)
		}
	}
	if r.Relative {
		estimate = figure.Compared(*r.Estimate) + " the baseline's"
		if (r.Counterpart != Measure{}) {
			estimate += " of all requests"
		}
	}
	switch {
	case r.Verdict == verdict.Pass:
		return fmt.Sprintf("%s, within the limit of %s", estimate, limit)
	case r.Verdict == verdict.Fail && r.Operator == AtMost:
		return fmt.Sprintf("%s, above the limit of %s", estimate, limit)
	case r.Verdict == verdict.Fail:
		return fmt.Sprintf("%s, below the limit of %s", estimate, limit)
	case r.Doubt != "":
		return fmt.Sprintf("%s, which does not tell on which side of the limit of %s it lies: %s", estimate, limit, r.Doubt)
	case r.N == 1:
		return fmt.Sprintf("%s, and 1 seed does not tell on which side of the limit of %s it lies", estimate, limit)
	default:
		return fmt.Sprintf("%s, and %s do not tell on which side of the limit of %s it lies", estimate, figure.Plural(r.N, "seed"), limit)
	}
}

// shownDigits are the significant digits of a figure in a sentence.
const shownDigits = 3

// subject is a measure as the subject of a sentence. The definition of a latency reads as one; of
// other metrics it is a formula.
func (m Measure) subject() string {
	if m.derived != nil || !m.metric.IsLatency() {
		return m.String()
	}
	words, _, _ := strings.Cut(m.metric.Help(), ",")
	words = "the " + words
	if labels := strings.Trim(m.metric.Selector.suffix(), "{}"); labels != "" {
		words += " of requests with " + labels
	}
	return words
}

// Brief prints a value of the unit in a sentence: a number of significant digits, and durations in the
// unit of time that suits them.
func (u Unit) Brief(value float64, digits int) string {
	if u == Seconds {
		return briefDuration(value, digits)
	}
	d := u.Display()
	return strings.TrimSpace(figure.Significant(value*d.Factor, digits) + " " + d.Suffix)
}

func briefDuration(seconds float64, digits int) string {
	for _, of := range []struct {
		from, factor float64
		suffix       string
	}{{3600, 1.0 / 3600, "h"}, {1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}} {
		if seconds >= of.from {
			return figure.Significant(seconds*of.factor, digits) + " " + of.suffix
		}
	}
	return figure.Significant(seconds*1e3, digits) + " ms"
}
