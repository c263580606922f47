// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Table prints the story for people. Decisions that change nothing for the same reason
// follow each other in one line.
func (s *ScalingStory) Table(w io.Writer) error {
	fmt.Fprintf(w, "seed %d\n\n", s.Seed)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "at\twho\twhat\twhy")
	for i := 0; i < len(s.Events); {
		e := s.Events[i]
		if e.Replica != nil {
			last := s.together(i)
			fmt.Fprintf(t, "%s\t%s\t%s\t%d serve\n", clock(e.AtSeconds), s.who(i, last), e.Replica.Stage, s.Events[last].Replica.Serving)
			i = last + 1
			continue
		}
		last := s.alike(i)
		at := clock(e.AtSeconds)
		if last > i {
			at += " to " + clock(s.Events[last].AtSeconds)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", at, e.Decision.Scaler, e.Decision.counts(), e.Decision.why(last-i+1))
		i = last + 1
	}
	return t.Flush()
}

// together returns the last one of the replicas that come into a stage together with a
// first one.
func (s *ScalingStory) together(first int) int {
	last := first
	for last+1 < len(s.Events) {
		e, next := s.Events[last], s.Events[last+1]
		if next.Replica == nil || next.AtSeconds != e.AtSeconds || next.Replica.Stage != e.Replica.Stage || poolOf(next) != poolOf(e) {
			break
		}
		last++
	}
	return last
}

// who names the replicas of some events.
func (s *ScalingStory) who(first, last int) string {
	if first == last {
		return s.Events[first].Replica.Replica
	}
	return fmt.Sprintf("%d of %s", last-first+1, poolOf(s.Events[first]))
}

// poolOf is the pool of a replica.
func poolOf(e *ScalingEvent) string {
	pool, _, _ := strings.Cut(e.Replica.Replica, "/")
	return pool
}

// alike returns the last one of the decisions from a first one on that change nothing for
// the same reason.
func (s *ScalingStory) alike(first int) int {
	d, last := s.Events[first].Decision, first
	for d.idle() && last+1 < len(s.Events) {
		next := s.Events[last+1].Decision
		if next == nil || !next.idle() || next.Scaler != d.Scaler || next.reasonOnly() != d.reasonOnly() {
			break
		}
		last++
	}
	return last
}

// idle reports whether the decision changes nothing.
func (d *ScalingDecision) idle() bool {
	for _, p := range d.Pools {
		if p.Was != p.Wanted {
			return false
		}
	}
	return true
}

// reasonOnly is the reason without its numbers, which differ from one time to the next.
func (d *ScalingDecision) reasonOnly() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, d.Reason)
}

// counts are the replicas wanted of each pool.
func (d *ScalingDecision) counts() string {
	var all []string
	for _, p := range d.Pools {
		text := strconv.Itoa(p.Was)
		if p.Wanted != p.Was {
			text += " → " + strconv.Itoa(p.Wanted)
		}
		if p.Stated != p.Wanted {
			text += fmt.Sprintf(" (stated %d)", p.Stated)
		}
		if len(d.Pools) > 1 {
			text = p.Pool + " " + text
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// why is the reason, with the values that the decision rests on.
func (d *ScalingDecision) why(times int) string {
	text := d.Reason
	if d.Triggered {
		text = "triggered: " + text
	}
	if times > 1 {
		return fmt.Sprintf("%s (%d times)", text, times)
	}
	var values []string
	for _, v := range d.Values {
		values = append(values, v.Name+" "+strconv.FormatFloat(v.Value, 'g', 4, 64))
	}
	if len(values) > 0 {
		text += "; " + strings.Join(values, ", ")
	}
	return text
}

// clock is a time of the simulation.
func clock(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}
