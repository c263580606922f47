// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"fmt"
	"math"
)

// bounds are between which values a law moves the weights.
type bounds struct{ leastPrefix, mostPrefix, leastLoad, mostLoad float64 }

func readBounds(l *loader) bounds {
	b := bounds{
		leastPrefix: l.Positive("minPrefix", 1, "the least weight of prefixes"),
		mostPrefix:  l.Positive("maxPrefix", 5, "the greatest weight of prefixes"),
		leastLoad:   l.Positive("minLoad", 2, "the least weight of load"),
		mostLoad:    l.Positive("maxLoad", 5, "the greatest weight of load"),
	}
	if b.leastPrefix > b.mostPrefix {
		l.Invalid("maxPrefix", "must be at least minPrefix")
	}
	if b.leastLoad > b.mostLoad {
		l.Invalid("maxLoad", "must be at least minLoad")
	}
	l.bounds = &b
	return b
}

// clamp moves weights between the bounds.
func (b *bounds) clamp(w Weights) Weights {
	return Weights{
		Prefix: min(max(w.Prefix, b.leastPrefix), b.mostPrefix),
		Load:   min(max(w.Load, b.leastLoad), b.mostLoad),
	}
}

// highestLoad is the greatest weight of load; infinite where a law has no bounds.
func (b *bounds) highestLoad() float64 {
	if b == nil {
		return math.Inf(1)
	}
	return b.mostLoad
}

// split returns weights of a ratio that some weights within the bounds have. The weight of
// load is the one stated, unless that of prefixes would leave its bounds.
func (b *bounds) split(ratio, load float64) Weights {
	prefix := min(max(float64(ratio*load), b.leastPrefix), b.mostPrefix)
	if prefix == float64(ratio*load) {
		return Weights{prefix, load}
	}
	return b.clamp(Weights{prefix, prefix / ratio})
}

// check says what is wrong with the weights that a run starts with; nothing where that is
// empty.
func (b *bounds) check(start Weights) string {
	if b.clamp(start) == start {
		return ""
	}
	return fmt.Sprintf("the weights start at %g for prefixes and %g for load; the law moves them between %g and %g for prefixes and %g and %g for load: change the weights of the scorers, or minPrefix, maxPrefix, minLoad and maxLoad",
		start.Prefix, start.Load, b.leastPrefix, b.mostPrefix, b.leastLoad, b.mostLoad)
}

// A gate says whether an epoch without a rejection tells anything. Under low load no
// weights cause rejections, so their lack prefers no weights.
type gate struct{ explores bool }

func readGate(l *loader) gate {
	return gate{l.Choice("exploreWithoutSignal", "whether the weight of prefixes grows in epochs without a rejection", "false", "true") == "true"}
}

func (g gate) closed(s *Signal) bool { return s.Rejected == 0 && !g.explores }
