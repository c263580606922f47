// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// schedule sets the replicas from stated times on.
type schedule struct {
	entries []entry // by time
	// period is the time after which the list begins again; 0 is never. offset is the
	// time of the period at which the run starts.
	period, offset time.Duration
}

// entry is how many replicas each pool has from a time on.
type entry struct {
	from     time.Duration
	replicas []int
}

func readSchedule(l *loader) func() Scaler {
	l.ignoresLoad = true
	const help = "times with the replicas from then on, with commas between them, such as 0s=2,6h=8,18h=4; of prefill and decode, such as 0s=1:2,6h=2:6"
	text := l.Word("at", "", help)
	s := schedule{
		period: l.OptionalDuration("period", "the time after which the list begins again, such as 24h; without it the list is of the run's time"),
		offset: l.Delay("offset", 0, "the time of the list at which the run starts"),
	}
	if !l.stated("at") {
		l.Require("at", "state "+help)
		return nil
	}
	var wrong string
	if s.entries, wrong = l.entries(text, s.period); wrong != "" {
		l.Invalid("at", wrong)
	}
	if s.period > 0 && s.offset >= s.period {
		l.Invalid("offset", "must be less than period")
	}
	return func() Scaler { return &s }
}

// entries reads the list of a schedule, which must be in order.
func (l *loader) entries(text string, period time.Duration) (all []entry, wrong string) {
	for word := range strings.SplitSeq(text, ",") {
		at, replicas, found := strings.Cut(strings.TrimSpace(word), "=")
		from, err := time.ParseDuration(at)
		if !found || err != nil || from < 0 {
			return nil, fmt.Sprintf("%q must be a time and the replicas from then on, such as 6h=8", word)
		}
		counts, wrong := l.counts(replicas)
		switch {
		case wrong != "":
			return nil, fmt.Sprintf("%s: %s", at, wrong)
		case len(all) > 0 && from <= all[len(all)-1].from:
			return nil, fmt.Sprintf("%s must be later than the time before it", at)
		case period > 0 && from >= period:
			return nil, fmt.Sprintf("%s must be less than period, %s", at, period)
		}
		all = append(all, entry{from, counts})
	}
	return all, ""
}

func (s *schedule) Scale(view *View, wanted []int) Reason {
	at := time.Duration(view.Now) + s.offset
	if s.period > 0 {
		at %= s.period
	}
	after, found := slices.BinarySearchFunc(s.entries, at, func(e entry, at time.Duration) int { return cmp.Compare(e.from, at) })
	if found {
		after++
	}
	switch {
	case after > 0:
	case s.period > 0:
		after = len(s.entries) // the last one of the period before
	default:
		return Reason(fmt.Sprintf("stays at %s: the schedule begins at %s", listed(wanted), s.entries[0].from))
	}
	e := &s.entries[after-1]
	copy(wanted, e.replicas)
	return Reason(fmt.Sprintf("%s from %s of the schedule on, which is at %s", listed(e.replicas), e.from, at))
}
