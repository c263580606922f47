// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The words for caps that are no ratio of two numbers.
const (
	noCap       = "none"
	workloadCap = "workload"
)

// belowTheBound keeps a cap that follows from a workload below the bound, at which scores
// are equal and chance decides.
const belowTheBound = 0.999

// A limit is the greatest ratio of the weights: that of two numbers, so that 4:3 is exact.
// The zero value limits nothing.
type limit struct{ prefix, load float64 }

// readLimit reads the parameter cap.
func readLimit(l *loader) (of limit, byWorkload bool) {
	switch text := l.Word("cap", noCap, "the greatest ratio of the weight of prefixes to that of load: two whole numbers such as 4:3, workload for 1/m of the workload under the run's seed, or none"); text {
	case noCap:
		return limit{}, false
	case workloadCap:
		return limit{}, true
	default:
		prefix, load, two := strings.Cut(text, ":")
		p, err := strconv.ParseInt(prefix, 10, 32)
		q, err2 := strconv.ParseInt(load, 10, 32)
		if !two || err != nil || err2 != nil || p < 1 || q < 1 {
			l.Invalid("cap", "must be two whole numbers of at least 1, such as 4:3, or workload or none")
			return limit{}, false
		}
		return limit{float64(p), float64(q)}, false
	}
}

// limitOf is 1/m of a workload, or just below: m is the greatest share of a prompt's
// blocks that lie in a prefix which more requests share than one replica serves. 0 limits
// nothing.
func limitOf(m float64) limit {
	if m == 0 {
		return limit{}
	}
	return limit{belowTheBound, m}
}

// exceeds reports whether weights are over the limit.
func (l limit) exceeds(w Weights) bool {
	return l.load > 0 && w.Prefix*l.load > w.Load*l.prefix
}

// hold raises the weight of load to where the ratio is at the limit, if it is over, and
// reports whether it did. Where load would be above a bound, prefixes get less instead.
func (l limit) hold(w Weights, mostLoad float64) (Weights, bool) {
	if !l.exceeds(w) {
		return w, false
	}
	if load := w.Prefix * l.load / l.prefix; load <= mostLoad {
		return Weights{Prefix: w.Prefix, Load: load}, true
	}
	return Weights{Prefix: mostLoad * l.prefix / l.load, Load: mostLoad}, true
}

// ratio is the limit as a number.
func (l limit) ratio() float64 {
	if l.load == 0 {
		return math.Inf(1)
	}
	return l.prefix / l.load
}

func (l limit) String() string { return fmt.Sprintf("%g:%g", l.prefix, l.load) }
