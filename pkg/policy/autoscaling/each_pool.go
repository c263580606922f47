// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"slices"
	"strings"
)

// A rule proposes how many replicas one pool is to have. It does not look at the others.
type rule interface{ propose(at *place) proposal }

// place is a pool that a rule looks at.
type place struct {
	*View
	k    int
	pool *Pool
	// prefix is what the names of its notes begin with.
	prefix string
}

// note notes a value that is of this pool.
func (at *place) note(name string, value float64) {
	if at.Notes != nil {
		at.Note(at.prefix+name, value)
	}
}

// keep proposes what is wanted already.
func (at *place) keep(format string, values ...any) proposal {
	return proposal{at.pool.Wanted, fmt.Sprintf(format, values...)}
}

// proposal is a number of replicas, with the reason.
type proposal struct {
	to  int
	why string
}

// eachPool scales each pool alone, by one rule.
type eachPool struct {
	rule      rule
	names     []string
	cooldowns []cooldowns
}

// eachPoolOf returns how a scaler with a rule is made.
func eachPoolOf(l *loader, r rule, c cooldowns) func() Scaler {
	names := l.names()
	return func() Scaler {
		return &eachPool{r, names, slices.Repeat([]cooldowns{c}, len(names))}
	}
}

func (e *eachPool) Scale(view *View, wanted []int) Reason {
	var why strings.Builder
	for k := range view.Pools {
		at := place{View: view, k: k, pool: &view.Pools[k]}
		if len(view.Pools) > 1 {
			at.prefix = e.names[k] + " "
		}
		if k > 0 {
			why.WriteString("; ")
		}
		p := e.rule.propose(&at)
		fmt.Fprintf(&why, "%s: %s", e.names[k], e.settle(&at, p, &wanted[k]))
	}
	return Reason(why.String())
}

// settle takes a proposal on as far as the bounds and the cooldowns allow, and says so.
func (e *eachPool) settle(at *place, p proposal, wanted *int) string {
	was, to, c := at.pool.Wanted, at.pool.bounded(p.to), &e.cooldowns[at.k]
	switch {
	case to == was && p.to > to:
		return fmt.Sprintf("stays at %d, its maximum, instead of %d: %s", was, p.to, p.why)
	case to == was && p.to < to:
		return fmt.Sprintf("stays at %d, its minimum, instead of %d: %s", was, p.to, p.why)
	case to == was:
		return fmt.Sprintf("stays at %d: %s", was, p.why)
	}
	out := to > was
	if until := c.until(out); until > at.Now {
		return fmt.Sprintf("stays at %d instead of %d in the cooldown until %s: %s", was, to, until, p.why)
	}
	c.changed(at.Now, out)
	*wanted = to
	return fmt.Sprintf("from %d to %d: %s", was, to, p.why)
}

// bounded returns a number of replicas within the bounds of the pool.
func (p *Pool) bounded(n int) int { return min(max(n, p.Min), p.Max) }

// reasonf formats a part of a reason.
func reasonf(format string, values ...any) string { return fmt.Sprintf(format, values...) }
