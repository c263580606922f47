// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// plainFlow is flow control as one would tell it: a list of all that waits, in
// order of arrival, looked through from the start whenever something happens.
type plainFlow struct {
	settings config.FlowSettings
	rules    flowRules
	limit    usageLimit
	level    float64
	empty    bool // there is no endpoint, as of now
	regime   bool // as the last cycle saw it
	since    simtime.Time
	items    []plainItem
	bands    []int        // priorities, the highest first
	turns    map[int]int  // the tenant that had its turn, by priority
	due      simtime.Time // when a tick and a sweep last had their time
	log      []string
	flying   []policy.Request // in the order in which they were sent
	evicted  simtime.Time     // when some were last
}

type plainItem struct {
	policy.Request
	since simtime.Time
	dead  bool
}

func (p *plainFlow) bandOf(priority int) config.BandSettings { return p.settings.Of(priority) }

func (p *plainFlow) say(at simtime.Time, id int, err error) {
	line := fmt.Sprint(at, " ", id)
	if err != nil {
		line += ": " + err.Error()
	}
	p.log = append(p.log, line)
}

// arrive queues a request, and there is a cycle. The first request of a nanosecond comes after what is
// due then, and the others after that.
func (p *plainFlow) arrive(now simtime.Time, r policy.Request) {
	r.Arrival = now
	var requests, bytes, bandRequests, bandBytes int64
	for _, i := range p.items {
		requests++
		bytes += int64(4 * i.Tokens)
		if i.Priority == r.Priority {
			bandRequests++
			bandBytes += int64(4 * i.Tokens)
		}
	}
	if !slices.Contains(p.bands, r.Priority) {
		p.bands = append(p.bands, r.Priority)
		slices.SortFunc(p.bands, func(a, b int) int { return b - a })
	}
	over := func(total, bound int64) bool { return bound > 0 && total > bound }
	size, band := int64(4*r.Tokens), p.bandOf(r.Priority)
	switch {
	case over(requests+1, p.settings.MaxRequests), over(bytes+size, p.settings.MaxBytes),
		over(bandRequests+1, band.MaxRequests), over(bandBytes+size, band.MaxBytes):
		if p.regime && p.rules.emptyBeforeCaps {
			p.say(now, r.ID, policy.ErrNoEndpoint)
		} else {
			p.say(now, r.ID, policy.ErrQueueFull)
		}
	default:
		p.items = append(p.items, plainItem{Request: r, since: now})
	}
	p.doDue(now)
	if now%dispatchInterval != 0 {
		p.expire(now)
	}
	p.cycle(now)
}

// doDue does what is due at a nanosecond, once.
func (p *plainFlow) doDue(now simtime.Time) {
	if p.due == now {
		return
	}
	p.due = now
	if now%sweepInterval == 0 {
		p.sweep(now)
	}
	if now%dispatchInterval == 0 {
		p.expire(now)
		p.cycle(now)
	}
}

// cycle lets one request go at most.
func (p *plainFlow) cycle(now simtime.Time) {
	p.see(now)
	ceilings := make([]float64, len(p.bands))
	p.limit.limit(p.level, p.bands, ceilings)
	for b, priority := range p.bands {
		blocked := p.level >= ceilings[b]
		if blocked && !p.rules.picksBeforeSaturation {
			p.makeRoom(now, p.bands[b:], ceilings[b:])
			return
		}
		next := p.next(priority)
		if next < 0 {
			continue
		}
		if blocked {
			return
		}
		gone := p.items[next]
		p.items = slices.Delete(p.items, next, next+1)
		if !gone.dead {
			p.say(now, gone.ID, nil)
			p.flying = append(p.flying, gone.Request)
		}
		return
	}
}

// makeRoom ends up to two of those in flight for the first blocked band that has
// somebody who waits and matters more.
func (p *plainFlow) makeRoom(now simtime.Time, priorities []int, ceilings []float64) {
	if !p.settings.Evicts || p.evicted > 0 && now.Sub(p.evicted) < testGrace {
		return
	}
	for b, priority := range priorities {
		waits := slices.ContainsFunc(p.items, func(i plainItem) bool { return i.Priority == priority })
		if !waits || ceilings[b] <= 0 || p.level < ceilings[b] || p.leastOf(priority) < 0 {
			continue
		}
		excess := (p.level - ceilings[b]) / (p.level / float64(len(p.flying)))
		for n := range maxEvictions {
			if at := p.leastOf(priority); at >= 0 && (n == 0 || float64(n) < excess) {
				p.log = append(p.log, fmt.Sprint(now, " ", p.flying[at].ID, ": evicted"))
				p.flying = slices.Delete(p.flying, at, at+1)
				p.evicted = now
			}
		}
		return
	}
}

// leastOf is who matters least of those in flight that may be ended for a
// priority, and of equal ones the last; -1 if there is none.
func (p *plainFlow) leastOf(priority int) int {
	least := -1
	for i, r := range p.flying {
		if r.Priority < min(priority, 0) && (least < 0 || r.Priority <= p.flying[least].Priority) {
			least = i
		}
	}
	return least
}

func (p *plainFlow) see(now simtime.Time) {
	if p.empty != p.regime {
		p.regime, p.since = p.empty, now
	}
}

// next is whose turn it is in a band; -1 if nobody waits there.
func (p *plainFlow) next(priority int) int {
	heads := map[int]int{} // of each tenant
	for i, item := range p.items {
		if item.Priority != priority {
			continue
		}
		if h, ok := heads[item.Tenant]; !ok || p.goesBefore(item, p.items[h]) {
			heads[item.Tenant] = i
		}
	}
	if p.bandOf(priority).Fairness == roundRobinFairnessPolicyType {
		last, turned := p.turns[priority]
		delete(p.turns, priority)
		for pass := range 2 {
			for tenant := range 10 {
				if h, ok := heads[tenant]; ok && (!turned || pass == 1 || tenant > last) {
					p.turns[priority] = tenant
					return h
				}
			}
		}
		return -1
	}
	best := -1
	for tenant := range 10 {
		if h, ok := heads[tenant]; ok && (best < 0 || p.goesBefore(p.items[h], p.items[best])) {
			best = h
		}
	}
	return best
}

// goesBefore compares two of a band, of which none has come at the same time
// later in the list.
func (p *plainFlow) goesBefore(a, b plainItem) bool {
	deadline := func(i plainItem) simtime.Time {
		switch p.bandOf(i.Priority).Ordering {
		case edfOrderingPolicyType:
			if p.settings.TTL > 0 {
				return i.since.Add(p.settings.TTL)
			}
		case sloDeadlineOrderingPolicyType:
			if i.TTFT > 0 {
				return i.since.Add(i.TTFT)
			}
		}
		return simtime.Never
	}
	if x, y := deadline(a), deadline(b); x != y {
		return x < y
	}
	return a.since < b.since || a.since == b.since && a.ID < b.ID
}

// expire gives those up at once that have waited too long.
func (p *plainFlow) expire(now simtime.Time) {
	for i := range p.items {
		item := &p.items[i]
		if ttl := p.settings.TTL; !p.rules.expiresAtSweeps && ttl > 0 && !item.dead && now.Sub(item.since) >= ttl {
			item.dead = true
			p.give(now, item.ID, p.empty)
		}
	}
}

func (p *plainFlow) give(now simtime.Time, id int, empty bool) {
	if empty {
		p.say(now, id, policy.ErrNoEndpoint)
	} else {
		p.say(now, id, policy.ErrExpired)
	}
}

// sweep takes out who has been given up, or gives up.
func (p *plainFlow) sweep(now simtime.Time) {
	ttl := p.settings.TTL
	if p.regime {
		ttl = p.settings.EmptyTTL
	}
	p.items = slices.DeleteFunc(p.items, func(i plainItem) bool {
		if p.rules.expiresAtSweeps && ttl > 0 && now.Sub(max(i.since, p.since)) >= ttl {
			p.give(now, i.ID, p.regime)
			return true
		}
		return i.dead
	})
}

// alive counts those that wait.
func (p *plainFlow) alive() int {
	n := 0
	for _, i := range p.items {
		if !i.dead {
			n++
		}
	}
	return n
}

// end is the end of a nanosecond. A tick without a request that waits has no cycle.
func (p *plainFlow) end(now simtime.Time) {
	switch {
	case now%dispatchInterval != 0:
		p.expire(now)
	case p.due == now || p.alive() > 0:
		p.doDue(now)
	default:
		if now%sweepInterval == 0 {
			p.sweep(now)
		}
		if len(p.items) == 0 {
			p.turns = map[int]int{}
			p.see(now)
		}
	}
}

// compareWithPlainFlow runs a random story on both, and returns how many were
// evicted.
func compareWithPlainFlow(t *testing.T, random func(n int) int) int {
	t.Helper()
	of := []version.Release{version.GIE14, version.GIE15, version.Router09, version.Router10, version.RouterMain}[random(5)]
	fair := []string{config.GlobalStrictFairnessPolicyType, roundRobinFairnessPolicyType}
	order := []string{config.FCFSOrderingPolicyType, edfOrderingPolicyType, sloDeadlineOrderingPolicyType}
	band := func(priority int) config.BandSettings {
		return config.BandSettings{Priority: priority, MaxRequests: int64(random(6)), MaxBytes: int64(random(3) * 900), Fairness: fair[random(2)], Ordering: order[random(3)]}
	}
	settings := config.FlowSettings{
		MaxRequests: int64(random(3) * 6), MaxBytes: int64(random(3) * 2000), TTL: time.Duration(random(3)*random(3000)) * time.Millisecond / 2,
		Bands: []config.BandSettings{band(2)}, Positive: band(0), Negative: band(0),
	}
	settings.Evicts = of >= version.Router10 && random(2) == 0
	settings.EmptyTTL = time.Duration(random(2)*random(3000)) * time.Millisecond
	limits := func() usageLimit {
		return []usageLimit{staticUsageLimit{0.9}, priorityHoldbackLimit{least: 0.3, greatest: 1}, priorityHoldbackLimit{least: 0.3, greatest: 0.9, byValue: true}, &softReflectiveLimit{}}[random(4)]
	}
	g := newFlowBench(settings, of)
	g.limit = limits()
	p := &plainFlow{settings: settings, rules: rulesOf(of), limit: g.limit, bands: []int{2, 0}, turns: map[int]int{}}
	if _, soft := g.limit.(*softReflectiveLimit); soft {
		p.limit = &softReflectiveLimit{}
	}
	const step = 100 * simtime.Time(time.Microsecond)
	id := 0
	for now := step; now < 40*simtime.Time(100*time.Millisecond); now += step {
		if now%(40*ms) == 0 {
			g.until(now)
			p.level, p.empty = float64(random(12))/10, random(12) == 0
			g.level, g.endpoints = p.level, 1
			if p.empty {
				g.endpoints = 0
			}
		}
		for random(100) == 0 {
			r := policy.Request{ID: id, Tenant: random(4), Priority: random(5) - 2, Tokens: random(120), TTFT: time.Duration(random(2)*random(900)) * time.Millisecond}
			id++
			g.arrive(now, r)
			p.arrive(now, r)
		}
		if len(p.flying) > 0 && random(200) == 0 {
			// What happens at one nanosecond comes after answers.
			g.until(now)
			at := random(len(p.flying))
			g.finish(p.flying[at].ID)
			p.flying = slices.Delete(p.flying, at, at+1)
		}
		p.end(now)
	}
	g.until(4 * simtime.Time(time.Second))
	slices.Sort(p.log)
	slices.Sort(g.log)
	if diff := cmp.Diff(p.log, g.log); diff != "" {
		t.Errorf("%+v of release %d (−plain +got):\n%s", settings, of, diff)
	}
	return strings.Count(strings.Join(p.log, " "), "evicted")
}

func TestFlowControlAgainstPlain(t *testing.T) {
	evicted := 0
	for seed := range int64(60) {
		stream := stats.NewStream(seed, "flows")
		evicted += compareWithPlainFlow(t, stream.IntN)
		if t.Failed() {
			t.Fatalf("story %d", seed)
		}
	}
	if evicted < 10 {
		t.Errorf("%d were evicted in all stories", evicted)
	}
}

func FuzzFlowControlAgainstPlain(f *testing.F) {
	for seed := range int64(5) {
		stream := stats.NewStream(seed, "bytes")
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(stream.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		compareWithPlainFlow(t, func(n int) int {
			if len(data) < 2 {
				return n - 1
			}
			v := int(data[0])<<8 + int(data[1])
			data = data[2:]
			return v % n
		})
	})
}
