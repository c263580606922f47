// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
)

// isFactor says that a load is a factor of a rate, such as that of a trace.
func isFactor(c *result.Capacity) bool { return c.RequestsPerSecond != 0 && c.RequestsPerSecond != 1 }

// factorText prints a load, and what a factor is in requests a second: 2.59 (16.2
// requests/s).
func factorText(c *result.Capacity, load string) string {
	if isFactor(c) {
		return fmt.Sprintf("%s (%s)", load, rateText(c, load))
	}
	return load
}

// loadText is factorText with the unit of a rate, too.
func loadText(c *result.Capacity, load string) string {
	if c.RequestsPerSecond == 1 {
		return load + rateUnit
	}
	return factorText(c, load)
}

// rateText prints a load in requests a second; the load itself where that is not known.
func rateText(c *result.Capacity, load string) string {
	number, err := strconv.ParseFloat(load, 64)
	if c.RequestsPerSecond == 0 || err != nil {
		return c.Load + " " + load
	}
	return figure.Significant(number*c.RequestsPerSecond, digits) + rateUnit
}

const (
	rateUnit = " requests/s"
	digits   = 3 // of rates and ratios
)

// demand is what was asked of pools; nil where nothing was.
func (l board) demand() *result.Demand {
	for i := range l.Candidates {
		if c := l.Candidates[i].Capacity; c != nil && c.Demand != nil {
			return c.Demand
		}
	}
	return nil
}

// sizing is what was found about the pools that differ from the best candidate in their
// replicas only; each may be nil.
type sizing struct {
	// fits is the smallest that bears the demand, survives the smallest that does without
	// the replicas that may fail, and largest the largest that was tried.
	fits, survives, largest *result.Capacity
	// asGood is the number of replicas of the smallest pool that is as good as the largest at
	// the demand; 0 where each is worse.
	asGood int
	// name are the other parameters.
	name string
}

func (l board) sizing() sizing {
	s := sizing{name: l.poolName(0)}
	var best *result.Ranked
	smaller := func(c, than *result.Capacity) bool { return than == nil || c.Demand.Replicas < than.Demand.Replicas }
	for i := range l.Candidates {
		c := l.Candidates[i].Capacity
		if c == nil || c.Demand == nil || l.poolName(i) != s.name {
			continue
		}
		if c.Demand.Fits() && smaller(c, s.fits) {
			s.fits = c
		}
		if c.Demand.Survives && smaller(c, s.survives) {
			s.survives = c
		}
		if s.largest == nil || c.Demand.Replicas > s.largest.Demand.Replicas {
			s.largest, best = c, &l.Candidates[i]
		}
	}
	for i := range l.Candidates {
		c := &l.Candidates[i]
		if c != best && l.poolName(i) == s.name && l.asGood(c, best) && (s.asGood == 0 || c.Capacity.Demand.Replicas < s.asGood) {
			s.asGood = c.Capacity.Demand.Replicas
		}
	}
	return s
}

// asGood says whether a pool is within one percent of the largest in each constraint.
func (l board) asGood(c, largest *result.Ranked) bool {
	for _, constraint := range l.Constraints {
		name := constraint.Measure.String()
		a, b := c.Metrics[name], largest.Metrics[name]
		if a.N == 0 || b.N == 0 || math.Abs(a.Mean-b.Mean) > 0.01*math.Abs(b.Mean) {
			return false
		}
	}
	return len(l.Constraints) > 0
}

// poolName are the parameters of a candidate except its load and its replicas.
func (l board) poolName(i int) string {
	c := &l.Candidates[i]
	if c.Capacity == nil || c.Capacity.Demand == nil {
		return ""
	}
	var parts []string
	for _, p := range c.Parameters {
		if p.Name != c.Capacity.Load && p.Name != c.Capacity.Demand.Parameter {
			parts = append(parts, p.String())
		}
	}
	return strings.Join(parts, " ")
}

// verdict says in a sentence, without a full stop, how many replicas are enough.
func (s sizing) verdict() string {
	text := s.answer()
	if s.name != "" {
		return "with " + s.name + " " + text
	}
	return text
}

func (s sizing) answer() string {
	asked := s.largest.Demand
	demand := "the demand of " + demandText(s.largest)
	failures := "a failure"
	if asked.Survive > 1 {
		failures = fmt.Sprintf("%d failures", asked.Survive)
	}
	switch {
	case s.fits == nil:
		return s.tooSmall(demand)
	case asked.Survive > 0 && s.survives == nil:
		return fmt.Sprintf("%s %s, and no pool of up to %d replicas survives %s, too", meet(s.fits), demand, asked.Replicas, failures)
	case asked.Survive > 0:
		return fmt.Sprintf("%s %s and survive %s, with %s; while none fails, %d %s enough",
			meet(s.survives), demand, failures, toSpare(s.survives), s.fits.Demand.Replicas, isOrAre(s.fits.Demand.Replicas))
	case s.survives == nil:
		return fmt.Sprintf("%s %s, with %s", meet(s.fits), demand, toSpare(s.fits))
	default:
		return fmt.Sprintf("%s %s, with %s; %d survive %s", meet(s.fits), demand, toSpare(s.fits), s.survives.Demand.Replicas, failures)
	}
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// meet is the subject and the verb for a pool.
func meet(c *result.Capacity) string {
	if c.Demand.Replicas == 1 {
		return "1 replica meets"
	}
	return fmt.Sprintf("%d replicas meet", c.Demand.Replicas)
}

// demandText is the load that was stated, and its headroom.
func demandText(c *result.Capacity) string {
	text := rateText(c, c.Demand.Load)
	if c.Demand.Headroom > 0 {
		text += fmt.Sprintf(" with a headroom of %s", figure.Percent(c.Demand.Headroom))
	}
	return text
}

// toSpare says how many times the stated load a pool bears.
func toSpare(c *result.Capacity) string {
	held, _ := c.HoldsNumber()
	stated, err := strconv.ParseFloat(c.Demand.Load, 64)
	if err != nil || stated <= 0 {
		return rateText(c, c.Holds)
	}
	least := ""
	if c.Breaks == "" {
		least = "at least "
	}
	return fmt.Sprintf("%s%s times to spare (%s)", least, figure.Significant(held/stated, digits), rateText(c, c.Holds))
}

// tooSmall says what the largest pool bears, where none is enough.
func (s sizing) tooSmall(demand string) string {
	pool := figure.Plural(s.largest.Demand.Replicas, "replica")
	meets := "meets"
	if s.largest.Demand.Verdict == result.LoadUndecided {
		meets = "was shown to meet"
	}
	text := fmt.Sprintf("no pool of up to %s %s %s", pool, meets, demand)
	if s.largest.Holds == "" {
		return fmt.Sprintf("%s, and even at %s it does not, so that more replicas do not help: raise the limit, or change the model, the accelerator or the engine", text, rateText(s.largest, s.largest.Breaks))
	}
	text += "; the largest bears " + rateText(s.largest, s.largest.Holds)
	if s.asGood > 0 {
		text += fmt.Sprintf(", and %d bear the demand as well as it does, so that more replicas do not help: look at where the router sends requests (windtunnel run --report)", s.asGood)
	}
	return text
}

// sizingFacts name the pools of which it is undecided whether they meet the demand.
func (l board) sizingFacts() []string {
	var names []string
	for i := range l.Candidates {
		if c := l.Candidates[i].Capacity; c != nil && c.Demand != nil && c.Demand.Verdict == result.LoadUndecided {
			names = append(names, strings.TrimSpace(l.poolName(i)+" "+figure.Plural(c.Demand.Replicas, "replica")))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"It is undecided whether the demand is met by " + firstNames(names) + ": more seeds may decide it (replications.count)."}
}

// sizingLegend explains the table of pools for a demand.
func (l board) sizingLegend(load string) []string {
	d := l.demand()
	if d == nil {
		return nil
	}
	failed := "with one failed"
	if d.Survive > 1 {
		failed = fmt.Sprintf("with %d failed", d.Survive)
	}
	return []string{
		fmt.Sprintf("The smallest pool that suffices is first. Figures are those at the demand, a %s of %s. The search doubled the replicas until a pool met the demand, and tried the next smaller one.", load, d.WithHeadroom),
		fmt.Sprintf("Demand: a pool survives if it meets the demand, and so do the replicas that are left %s.", failed),
	}
}

// addDemand adds the columns of what came of each pool and of what it takes: its cost in
// an hour, or without prices its accelerators.
func (l board) addDemand(g *grid) {
	if l.demand() == nil {
		return
	}
	met, costs, accelerators := make([]string, len(l.Candidates)), make([]string, len(l.Candidates)), make([]string, len(l.Candidates))
	priced := true
	for i := range l.Candidates {
		c := l.Candidates[i].Capacity
		if c == nil || c.Demand == nil {
			continue
		}
		met[i], accelerators[i] = demandVerdict(c), strconv.Itoa(c.Demand.Accelerators)
		if c.Demand.CostPerHour == nil {
			priced = false
		} else {
			costs[i] = figure.Fixed(*c.Demand.CostPerHour, 2)
		}
	}
	g.add("demand", false, met)
	if priced {
		g.add("cost /h", true, costs)
	} else {
		g.add("accelerators", true, accelerators)
	}
}

func demandVerdict(c *result.Capacity) string {
	if c.Demand.Survives {
		return "met, survives"
	}
	return loadVerdictText(c.Demand.Verdict)
}
