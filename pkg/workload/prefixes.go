// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// PrefixGroups are several prefixes in place of one. Each request takes one, or each
// session.
type PrefixGroups struct {
	// Count is the number of prefixes.
	Count int
	// ZipfExponent s makes the prefix of rank k popular in proportion to k^-s.
	ZipfExponent float64
	// DriftPeriod is the time after which the most popular prefix becomes the least
	// popular one, and each other moves up by a rank; 0 is never.
	DriftPeriod time.Duration
	// Correlation is the probability with which a request takes its tenant's favourite,
	// which is drawn once by popularity. Otherwise the prefix is drawn independently.
	Correlation float64
}

// Examples are few-shot examples behind the prefix. Those of a session stay.
type Examples struct {
	// Pool is the number of different ones.
	Pool int
	// Count is the number of a prompt's, at most MaxExamples and Pool. They are different.
	Count Lengths
	// Tokens is the length of one, which is drawn once for all clients of the group.
	Tokens Lengths
	// Sorted puts a prompt's examples in the order of the pool.
	Sorted bool
}

// MaxExamples is the greatest number of examples in a prompt.
const MaxExamples = 64

// popularity is the cumulative popularity of ranks.
type popularity []float64

// popularities makes each popularity once, since many copies may have the same.
type popularities map[[2]float64]popularity

func (p popularities) of(g *PrefixGroups) popularity {
	if g == nil {
		return nil
	}
	key := [2]float64{float64(g.Count), g.ZipfExponent}
	if _, ok := p[key]; !ok {
		sum, all := 0.0, make(popularity, g.Count)
		for rank := range all {
			sum += stats.Pow(float64(rank+1), -g.ZipfExponent)
			all[rank] = sum
		}
		p[key] = all
	}
	return p[key]
}

// draw returns a rank, from 0.
func (p popularity) draw(s *stats.Stream) int {
	u := s.Float64() * p[len(p)-1]
	return min(sort.Search(len(p), func(rank int) bool { return u < p[rank] }), len(p)-1)
}

// prefixes are the prefixes of one client under way.
type prefixes struct {
	spec       PrefixGroups
	popularity popularity
	group      uint64 // hash of its name
	favourite  int    // of the tenant
}

func newPrefixes(c *Client, all popularities, seed int64) *prefixes {
	if c.PrefixGroups == nil {
		return nil
	}
	p := &prefixes{spec: *c.PrefixGroups, popularity: all.of(c.PrefixGroups), group: stats.HashString(c.PrefixGroup)}
	tenant := cmp.Or(c.Tenant, DefaultLabel)
	p.favourite = p.popularity.draw(stats.NewStream(seed, "workload/favourite/"+c.PrefixGroup+"/"+tenant))
	return p
}

// draw returns the source of the prefix of a request at a time.
func (p *prefixes) draw(at simtime.Time, s *stats.Stream) uint64 {
	if p.spec.Correlation > 0 && happens(p.spec.Correlation, s) {
		return groupText.source(p.group, uint64(p.favourite))
	}
	number := p.popularity.draw(s)
	if p.spec.DriftPeriod > 0 {
		moved := int(int64(at) / int64(p.spec.DriftPeriod) % int64(p.spec.Count))
		number = (number + moved) % p.spec.Count
	}
	return groupText.source(p.group, uint64(number))
}

// appendPrefix appends what a prompt of the client begins with, at a time.
func (c *client) appendPrefix(text []prompt.Extent, at simtime.Time, s *stats.Stream) []prompt.Extent {
	if c.spec.PrefixTokens > 0 {
		source := c.prefixSource
		if c.prefixes != nil {
			source = c.prefixes.draw(at, s)
		}
		text = append(text, prompt.Extent{Source: source, Tokens: int32(c.spec.PrefixTokens)})
	}
	if c.spec.Examples != nil {
		text = c.appendExamples(text, s)
	}
	return text
}

// appendExamples appends the examples of a prompt.
func (c *client) appendExamples(text []prompt.Extent, s *stats.Stream) []prompt.Extent {
	e := c.spec.Examples
	c.examples = c.examples[:0]
	for count := e.Count.draw(s); len(c.examples) < count; {
		if number := s.IntN(e.Pool); !slices.Contains(c.examples, number) {
			c.examples = append(c.examples, number)
		}
	}
	if e.Sorted {
		slices.Sort(c.examples)
	}
	for _, number := range c.examples {
		text = append(text, prompt.Extent{
			Source: exampleText.source(stats.HashString(c.prefixGroup), uint64(number)),
			Tokens: int32(c.lengthOf(e.Tokens, "example", c.prefixGroup, number)),
		})
	}
	return text
}

const maxPrefixGroups = 100_000

// Validate returns the faults of the groups, under the names that the API gives their
// fields.
func (g *PrefixGroups) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if g.Count < 1 || g.Count > maxPrefixGroups {
		errs = append(errs, outOfRange(path.Child("count"), g.Count, 1, maxPrefixGroups))
	}
	if !(g.ZipfExponent >= 0 && g.ZipfExponent <= maxZipfExponent) {
		errs = append(errs, field.Invalid(path.Child("zipfExponent"), g.ZipfExponent, fmt.Sprintf("must be between 0 and %d", maxZipfExponent)))
	}
	if g.DriftPeriod < 0 || g.DriftPeriod > maxDuration {
		errs = append(errs, field.Invalid(path.Child("driftPeriod"), g.DriftPeriod.String(), "must be greater than 0 s and at most 8760 h"))
	}
	if !(g.Correlation >= 0 && g.Correlation <= 1) {
		errs = append(errs, field.Invalid(path.Child("correlation"), g.Correlation, "must be between 0 and 1"))
	}
	return errs
}

// Validate returns the faults of the examples, under the names that the API gives their
// fields.
func (e *Examples) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if e.Pool < 1 || e.Pool > maxPool {
		errs = append(errs, outOfRange(path.Child("pool"), e.Pool, 1, maxPool))
	} else {
		errs = append(errs, validateCount(e.Count, min(MaxExamples, e.Pool), path.Child("count"))...)
	}
	return append(errs, e.Tokens.Validate(path.Child("tokens"))...)
}
