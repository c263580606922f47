// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Table prints the story for people. Decisions in a row that change nothing for the same
// reason share a line.
func (s *ScalingStory) Table(w io.Writer) error {
	fmt.Fprintf(w, "seed %d\n\n", s.Seed)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "at\twho\twhat\twhy")
	for i := 0; i < len(s.Events); {
		e := s.Events[i]
		if e.Replica != nil {
			last := s.together(i)
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", clock(e.AtSeconds), s.who(i, last), e.Replica.Stage, serve(s.Events[last].Replica.Serving))
			i = last + 1
			continue
		}
		last, told := s.alike(i)
		at := clock(e.AtSeconds)
		if last > i {
			at += " to " + clock(s.Events[last].AtSeconds)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", at, told.Scaler, told.counts(), told.why(last-i+1))
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

// serve says how many replicas of a pool serve.
func serve(n int) string {
	if n == 1 {
		return "1 serves"
	}
	return fmt.Sprintf("%d serve", n)
}

// alike returns the last one of the decisions from a first one on that change nothing for the
// same reason, and the one of them that says the most: where KEDA, or an analyser, acts at some
// of the times only, the others say the rest of the same reason.
func (s *ScalingStory) alike(first int) (last int, told *ScalerCall) {
	last, told = first, s.Events[first].Decision
	reason := told.reasonOnly()
	for told.idle() && last+1 < len(s.Events) {
		next := s.Events[last+1].Decision
		if next == nil || !next.idle() || next.Scaler != told.Scaler {
			break
		}
		switch another := next.reasonOnly(); {
		case another == reason || strings.HasSuffix(reason, "; "+another):
		case strings.HasSuffix(another, "; "+reason):
			told, reason = next, another
		default:
			return last, told
		}
		last++
	}
	return last, told
}

// idle reports whether the decision changes nothing.
func (d *ScalerCall) idle() bool {
	return !slices.ContainsFunc(d.Pools, func(p ScaledCount) bool { return p.Was != p.Wanted })
}

// reasonOnly is the reason without its numbers, which differ from one time to the next.
func (d *ScalerCall) reasonOnly() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, d.Reason)
}

// counts are the replicas wanted of each pool.
func (d *ScalerCall) counts() string {
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
func (d *ScalerCall) why(times int) string {
	text := d.Reason
	if d.Triggered {
		text = "triggered: " + text
	}
	if times > 1 {
		return fmt.Sprintf("%s (%d times)", text, times)
	}
	if values := d.unsaid(); len(values) > 0 {
		text += "; " + strings.Join(values, ", ")
	}
	return text
}

// unsaid are the values of which the reason does not speak. What a metric wants follows its
// value.
func (d *ScalerCall) unsaid() []string {
	var all []string
	metric := ""
	for _, v := range d.Values {
		value := strconv.FormatFloat(v.Value, 'g', 4, 64)
		switch {
		case metric != "" && v.Name == metric+" wants":
			all[len(all)-1] += " wants " + value
		case strings.Contains(d.Reason, strings.TrimSuffix(v.Name, " wants")+" is "):
			metric = ""
		default:
			metric = v.Name
			all = append(all, v.Name+" "+value)
		}
	}
	return all
}

// clock is a time of the simulation.
func clock(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}
