// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// plainScaling is what the plain simulator knows of scaling: every stage of every replica,
// with its times.
type plainScaling struct {
	flows     []autoscaling.Gateway // by router
	monitored map[int][]plainScrape // by unit
	wanted    [][]int               // by unit and pool
	log       [][]plainChange       // of what was wanted, by unit
	lost      []int64
	broken    []int64 // starts that failed, by unit
	nodes     []*plainNode
	shown     []plainShown
	// epoch is when the figures started, after so many changes and stages had been noted.
	epoch         simtime.Time
	changes       []int
	scrapesBefore []int
	stagesBefore  int
}

// plainChange is a decision that changed how many replicas were wanted: in all, or of the
// first pool.
type plainChange struct {
	before, total, first, next int
}

// plainShown is how many replicas of a unit were in which stage from a time on.
type plainShown struct {
	at      simtime.Time
	unit    int
	serving [2]int
}

// plainScrape is what a monitor saw of the gateway.
type plainScrape struct {
	at   simtime.Time
	flow autoscaling.Gateway
}

// plainLife is the life of one replica.
type plainLife struct {
	unit, pool    int // −1 where no unit has the replica
	stage         autoscaling.Stage
	history       []simulator.StageChange
	created       simtime.Time
	ready, endsBy simtime.Time
	node          *plainNode
	chance        *stats.Stream
}

type plainNodeState int

const (
	plainNodeAbsent plainNodeState = iota
	plainNodeComes
	plainNodeThere
)

type plainNode struct {
	*simulator.NodePool
	pool, index int
	state       plainNodeState
	chance      *stats.Stream
}

func (p *plain) startScaling() {
	p.monitored = map[int][]plainScrape{}
	p.flows = make([]autoscaling.Gateway, p.Routers())
	for _, r := range p.replicas {
		r.life = plainLife{unit: -1, ready: simtime.Never, chance: stats.NewStream(p.Seed, "scaling/replica/"+strconv.Itoa(r.index))}
		if len(r.lives) > 0 {
			r.life.stage, r.life.ready = autoscaling.Serving, 0
		}
		r.life.history = []simulator.StageChange{{Endpoint: r.index, Stage: r.life.stage}}
	}
	for i := range p.NodePools {
		for k := range p.NodePools[i].MaxNodes {
			n := &plainNode{NodePool: &p.NodePools[i], pool: i, index: len(p.nodes)}
			n.chance = stats.NewStream(p.Seed, "scaling/node/"+strconv.Itoa(n.index))
			if k < n.Nodes {
				n.state = plainNodeThere
			}
			p.nodes = append(p.nodes, n)
		}
	}
	for i := range p.Scaling {
		u := &p.Scaling[i]
		p.lost, p.broken = append(p.lost, 0), append(p.broken, 0)
		var wanted []int
		for k, pool := range u.Pools {
			wanted = append(wanted, p.Pools[pool].Replicas)
			for _, r := range p.replicas {
				if r.pool != pool {
					continue
				}
				r.life.unit, r.life.pool = i, k
				if r.life.stage == autoscaling.Serving {
					p.takePlace(r)
				}
			}
		}
		p.wanted, p.log = append(p.wanted, wanted), append(p.log, nil)
		p.schedule(plainEvent{at: simtime.Time(u.Interval), kind: plainTick, number: i})
		p.schedule(plainEvent{at: simtime.Time(u.Monitor.Interval), kind: plainMonitor, number: i})
		p.noteStages(i)
	}
}

// scale lets something happen of scaling.
func (p *plain) scale(e plainEvent) {
	switch e.kind {
	case plainMonitor:
		u := &p.Scaling[e.number]
		p.monitor(e.number)
		p.schedule(plainEvent{at: p.now.Add(u.Monitor.Interval), kind: plainMonitor, number: e.number})
		if u.Trigger != nil && u.Trigger.Fires(p.showUnit(e.number)) {
			p.askScaler(e.number)
		}
	case plainTick:
		p.schedule(plainEvent{at: p.now.Add(p.Scaling[e.number].Interval), kind: plainTick, number: e.number})
		p.askScaler(e.number)
	case plainNodeChange:
		p.changeNode(p.nodes[e.number])
	case plainStageEnd:
		p.endStage(e.replica)
	}
}

// flowOf counts the requests of a request's router.
func (p *plain) flowOf(q *plainRequest) *autoscaling.Gateway { return &p.flows[q.Info.Router] }

func (p *plain) monitor(unit int) {
	u := &p.Scaling[unit]
	sample := u.Monitor.Take(p.now)
	sample.Gateway = p.flows[u.Router]
	p.monitored[unit] = append(p.monitored[unit], plainScrape{p.now, p.flows[u.Router]})
	for _, q := range p.waiting {
		if int(q.Info.Router) == u.Router {
			sample.Gateway.Queued++
		}
	}
	for _, q := range p.delayed {
		if q.awaiting && int(q.Info.Router) == u.Router {
			sample.Gateway.Awaiting++
		}
	}
	sample.Replicas, sample.Unavailable = 0, 0
	for place, r := range p.unitReplicas(unit) {
		sample.Engines[place] = p.engine(r)
		if r.life.stage.Exists() {
			sample.Replicas++
		}
		if r.life.stage.Starts() {
			sample.Unavailable++
		}
	}
}

// unitReplicas are the places of a unit's replicas, in order.
func (p *plain) unitReplicas(unit int) []*plainReplica {
	var all []*plainReplica
	for _, pool := range p.Scaling[unit].Pools {
		for _, r := range p.replicas {
			if r.pool == pool {
				all = append(all, r)
			}
		}
	}
	return all
}

func (p *plain) engine(r *plainReplica) autoscaling.Engine {
	if !slices.Contains([]autoscaling.Stage{autoscaling.Warming, autoscaling.Serving, autoscaling.Draining}, r.life.stage) {
		return autoscaling.Engine{}
	}
	scrape := p.scraped(r, p.now)
	e := autoscaling.Engine{
		Up: true, Started: r.life.ready, Running: scrape.Running, Waiting: scrape.Waiting, KVUsage: scrape.KVUsage,
		Counters: p.exported(r, scrape), Busy: r.use.Worked,
	}
	for _, q := range r.finished {
		e.Finished.Requests++
		e.Finished.PromptTokens += int64(q.prompt)
		e.Finished.AnswerTokens += int64(q.answer)
	}
	if r.stepping {
		e.Busy += p.now.Sub(r.stepStart)
	}
	for _, d := range r.waits {
		e.TimeToFirstToken.Observe(autoscaling.TimeToFirstTokenBounds, d, 1)
	}
	for _, d := range r.gaps {
		e.InterTokenLatency.Observe(autoscaling.InterTokenLatencyBounds, d, 1)
	}
	return e
}

func (p *plain) showUnit(unit int) *autoscaling.View {
	v := &autoscaling.View{Now: p.now, Monitor: p.Scaling[unit].Monitor}
	place := 0
	for k, pool := range p.Scaling[unit].Pools {
		shown := autoscaling.Pool{First: place, Min: p.Scaling[unit].Min[k], Max: p.Scaling[unit].Max[k], Wanted: p.wanted[unit][k]}
		for _, r := range p.replicas {
			if r.pool != pool {
				continue
			}
			if l := &r.life; l.exists() {
				shown.Replicas = append(shown.Replicas, autoscaling.Replica{Endpoint: place, Stage: l.stage, Created: l.created, Ready: l.ready})
			}
			shown.Endpoints++
			place++
		}
		v.Pools = append(v.Pools, shown)
	}
	return v
}

func (l *plainLife) exists() bool {
	return l.stage != autoscaling.Absent && l.stage != autoscaling.Draining
}

func (l *plainLife) serves() bool {
	return l.stage == autoscaling.Warming || l.stage == autoscaling.Serving
}

func (p *plain) askScaler(unit int) {
	u := &p.Scaling[unit]
	wanted := slices.Clone(p.wanted[unit])
	u.Scaler.Scale(p.showUnit(unit), wanted)
	total, before := 0, 0
	for k := range wanted {
		wanted[k] = max(u.Min[k], min(u.Max[k], wanted[k]))
		total += wanted[k]
		before += p.wanted[unit][k]
	}
	if total != before || wanted[0] != p.wanted[unit][0] {
		p.log[unit] = append(p.log[unit], plainChange{before, total, p.wanted[unit][0], wanted[0]})
	}
	p.wanted[unit] = wanted
	p.fill(unit)
}

// fill starts and ends replicas.
func (p *plain) fill(unit int) {
	for k := range p.wanted[unit] {
		for {
			var there, vacant []*plainReplica
			for _, r := range p.unitReplicas(unit) {
				switch {
				case r.life.pool != k:
				case r.life.exists():
					there = append(there, r)
				case r.life.stage == autoscaling.Absent:
					vacant = append(vacant, r)
				}
			}
			if len(there) > p.wanted[unit][k] {
				p.takeAway(leastNeeded(there))
				continue
			}
			if len(there) == p.wanted[unit][k] || len(vacant) == 0 {
				break
			}
			l := &vacant[0].life
			l.created, l.ready = p.now, simtime.Never
			if vacant[0].NodePool > 0 {
				p.enterStage(vacant[0], autoscaling.Pending)
			} else {
				p.begin(vacant[0])
			}
		}
	}
	p.findPlaces()
}

func leastNeeded(there []*plainReplica) *plainReplica {
	return slices.MaxFunc(there, func(a, b *plainReplica) int {
		started := func(r *plainReplica) int {
			if r.life.serves() {
				return 0
			}
			return 1
		}
		age := func(r *plainReplica) simtime.Time {
			if r.life.serves() {
				return r.life.ready
			}
			return r.life.created
		}
		return cmp.Or(cmp.Compare(started(a), started(b)), cmp.Compare(age(a), age(b)), cmp.Compare(a.index, b.index))
	})
}

// begin has a replica start on a machine of its own.
func (p *plain) begin(r *plainReplica) {
	if r.Startup.Provisioning.Mean > 0 {
		p.stageFor(r, autoscaling.Provisioning, r.Startup.Provisioning)
	} else {
		p.stageFor(r, autoscaling.Loading, r.Startup.ImagePull, r.Startup.ModelLoad)
	}
}

// stageFor puts a replica into a stage for the sum of some times.
func (p *plain) stageFor(r *plainReplica, stage autoscaling.Stage, times ...simulator.Delay) {
	p.enterStage(r, stage)
	end := p.now
	for _, d := range times {
		end = end.Add(d.Draw(r.life.chance))
	}
	p.schedule(plainEvent{at: end, kind: plainStageEnd, number: r.index, replica: r})
}

func (p *plain) enterStage(r *plainReplica, stage autoscaling.Stage) {
	if p.view.Down == nil && (stage == autoscaling.Draining || stage == autoscaling.Warming || stage == autoscaling.Serving) {
		p.view.Down = make([]bool, len(p.replicas))
	}
	held := r.life.stage != autoscaling.Absent && r.life.stage != autoscaling.Pending
	r.life.stage = stage
	if p.view.Down != nil {
		p.view.Down[r.index] = !r.life.serves()
	}
	r.life.history = append(r.life.history, simulator.StageChange{At: p.now, Endpoint: r.index, Stage: stage})
	if p.Staged != nil {
		p.Staged(simulator.StageChange{At: p.now, Endpoint: r.index, Stage: stage})
	}
	holds := stage != autoscaling.Absent && stage != autoscaling.Pending
	switch {
	case holds && !held:
		r.lives = append(r.lives, simulator.Lifetime{From: p.now, To: simtime.Never})
	case held && !holds:
		r.lives[len(r.lives)-1].To = p.now
	}
	p.noteStages(r.life.unit)
}

func (p *plain) endStage(r *plainReplica) {
	l := &r.life
	switch l.stage {
	case autoscaling.Provisioning:
		p.stageFor(r, autoscaling.Loading, r.Startup.ImagePull, r.Startup.ModelLoad)
	case autoscaling.Loading:
		if share := r.Startup.FailureShare; share > 0 && l.chance.Float64() < share {
			p.broken[l.unit]++
			if l.node != nil {
				p.stageFor(r, autoscaling.Loading, r.Startup.ImagePull, r.Startup.ModelLoad)
			} else {
				p.begin(r)
			}
			return
		}
		l.ready = p.now
		if w := r.Startup.WarmUp.Duration; w > 0 {
			p.stageFor(r, autoscaling.Warming, simulator.Delay{Mean: w})
		} else {
			p.enterStage(r, autoscaling.Serving)
		}
		for _, q := range p.delayed {
			if q.awaiting && int(q.Info.Router) == r.Router {
				p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainDelayEnd && e.request == q })
				p.schedule(plainEvent{at: p.now, kind: plainDelayEnd, number: q.Info.ID, request: q})
			}
		}
	case autoscaling.Warming:
		p.enterStage(r, autoscaling.Serving)
	case autoscaling.Draining:
		p.drainReplica(r)
	}
}

func (p *plain) takeAway(r *plainReplica) {
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainStageEnd && e.replica == r })
	if !r.life.serves() {
		p.vanish(r)
		return
	}
	p.enterStage(r, autoscaling.Draining)
	r.life.endsBy = simtime.Never
	if r.Ending.Timeout > 0 {
		r.life.endsBy = p.now.Add(r.Ending.Timeout)
	}
	switch r.Ending.Mode {
	case simulator.EndWhenServed:
		p.drainReplica(r)
	case simulator.EndAtOnce:
		p.abandon(r)
		p.vanish(r)
	case simulator.EndElsewhere:
		p.fail(r)
		p.vanish(r)
	}
}

func (p *plain) drainReplica(r *plainReplica) {
	if p.now < r.life.endsBy && len(p.dependOn(r)) > 0 {
		next := min(p.now.Add(cmp.Or(r.Ending.Poll, time.Second)), r.life.endsBy)
		p.schedule(plainEvent{at: next, kind: plainStageEnd, number: r.index, replica: r})
		return
	}
	p.abandon(r)
	p.vanish(r)
}

// abandon has the requests of a replica fail.
func (p *plain) abandon(r *plainReplica) {
	lost := p.stop(r)
	p.lost[r.life.unit] += int64(len(lost))
	for _, q := range lost {
		p.tellFinished(q, int(q.Replica))
		p.breakOff(q)
		p.release()
	}
	p.revoke()
}

func (p *plain) vanish(r *plainReplica) {
	if n := r.life.node; n != nil {
		r.life.node = nil
		if p.taken(n) == 0 && n.IdleTimeout > 0 {
			p.schedule(plainEvent{at: p.now.Add(n.IdleTimeout), kind: plainNodeChange, number: n.index})
		}
	}
	p.enterStage(r, autoscaling.Absent)
	r.life.ready = simtime.Never
	p.fill(r.life.unit)
}

// taken counts the accelerators of a node that replicas have.
func (p *plain) taken(n *plainNode) int {
	sum := 0
	for _, r := range p.replicas {
		if r.life.node == n {
			sum += r.Accelerators
		}
	}
	return sum
}

// takePlace gives a replica the first place that suits.
func (p *plain) takePlace(r *plainReplica) bool {
	for _, n := range p.nodes {
		if n.pool == r.NodePool-1 && n.state == plainNodeThere && p.taken(n)+r.Accelerators <= n.NodePool.Accelerators {
			r.life.node = n
			p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainNodeChange && e.number == n.index })
			return true
		}
	}
	return false
}

// findPlaces gives places to those that wait, the first created first.
func (p *plain) findPlaces() {
	var pending []*plainReplica
	for _, r := range p.replicas {
		if r.life.stage == autoscaling.Pending {
			pending = append(pending, r)
		}
	}
	slices.SortStableFunc(pending, func(a, b *plainReplica) int { return int(a.life.created - b.life.created) })
	promised := map[*plainNode]int{}
	for _, r := range pending {
		if p.takePlace(r) {
			p.stageFor(r, autoscaling.Loading, r.Startup.ImagePull, r.Startup.ModelLoad)
			continue
		}
		p.promise(r, promised)
	}
}

// promise sets a place on a node that comes aside for a replica, and has one come where
// none suits.
func (p *plain) promise(r *plainReplica, promised map[*plainNode]int) {
	for _, n := range p.nodes {
		if n.pool == r.NodePool-1 && n.state == plainNodeComes && promised[n]+r.Accelerators <= n.NodePool.Accelerators {
			promised[n] += r.Accelerators
			return
		}
	}
	for _, n := range p.nodes {
		if n.pool == r.NodePool-1 && n.state == plainNodeAbsent {
			n.state = plainNodeComes
			promised[n] = r.Accelerators
			p.schedule(plainEvent{at: p.now.Add(n.Provisioning.Draw(n.chance)), kind: plainNodeChange, number: n.index})
			return
		}
	}
}

func (p *plain) changeNode(n *plainNode) {
	switch {
	case n.state == plainNodeThere:
		n.state = plainNodeAbsent
	case n.FailureShare > 0 && n.chance.Float64() < n.FailureShare:
		n.state = plainNodeAbsent
	default:
		n.state = plainNodeThere
		if n.IdleTimeout > 0 {
			p.schedule(plainEvent{at: p.now.Add(n.IdleTimeout), kind: plainNodeChange, number: n.index})
		}
	}
	p.findPlaces()
}

// awaits lets a request wait while no replica of its router serves.
func (p *plain) awaits(q *plainRequest) bool {
	if p.AwaitReplicas == 0 || slices.ContainsFunc(p.replicas, func(r *plainReplica) bool {
		return r.Router == int(q.Info.Router) && (p.view.Down == nil || !p.view.Down[r.index])
	}) {
		return false
	}
	until := q.Info.Arrival.Add(p.AwaitReplicas)
	if until <= p.now {
		p.turnAway(q, simulator.NoPool, simulator.Expired)
		return true
	}
	q.awaiting = true
	p.fly(q)
	p.delayed = append(p.delayed, q)
	if p.Policies.Traffic != nil {
		p.Policies.Traffic.Delay(&q.Info, 1)
	}
	p.schedule(plainEvent{at: until, kind: plainDelayEnd, number: q.Info.ID, request: q})
	return true
}

// warmed is how long a step takes that begins now.
func (r *plainReplica) warmed(now simtime.Time, step time.Duration) time.Duration {
	w := r.Startup.WarmUp
	if age := now.Sub(r.life.ready); r.life.hasLoaded() && age < w.Duration {
		passed, left := float64(age)/float64(w.Duration), 1.0
		switch w.Curve {
		case simulator.LinearWarmUp:
			left = 1 - passed
		case simulator.ExponentialWarmUp:
			end := stats.Exp(-5)
			left = (stats.Exp(-5*passed) - end) / (1 - end)
		}
		return time.Duration(math.Round(float64(step) * (1 + (w.Penalty-1)*left)))
	}
	return step
}

// hasLoaded reports whether a scaler had the replica started.
func (l *plainLife) hasLoaded() bool {
	return slices.ContainsFunc(l.history, func(c simulator.StageChange) bool { return c.Stage == autoscaling.Loading })
}

// noteStages notes how many replicas of a unit serve.
func (p *plain) noteStages(unit int) {
	shown := plainShown{at: p.now, unit: unit}
	for _, r := range p.unitReplicas(unit) {
		if r.life.serves() {
			shown.serving[min(r.life.pool, 1)]++
		}
	}
	p.shown = append(p.shown, shown)
}

// restartUnits begins the figures anew.
func (p *plain) restartUnits() {
	p.epoch, p.changes, p.scrapesBefore, p.stagesBefore = p.now, nil, nil, len(p.shown)
	for i := range p.Scaling {
		p.lost[i], p.broken[i], p.scrapesBefore = 0, 0, append(p.scrapesBefore, len(p.monitored[i]))
		p.changes = append(p.changes, len(p.log[i]))
	}
}

// reportUnits works the figures out from what was noted.
func (p *plain) reportUnits(o *simulator.Result) {
	for i := range p.Scaling {
		u := simulator.UnitUse{Pools: p.Scaling[i].Pools, Lost: p.lost[i], FailedStarts: p.broken[i]}
		last := 0
		for k, change := range p.log[i] {
			sign := cmp.Compare(change.total, change.before)
			if sign == 0 {
				sign = cmp.Compare(change.next, change.first)
			}
			if p.changes == nil || k >= p.changes[i] {
				switch sign {
				case 1:
					u.Ups++
				case -1:
					u.Downs++
				}
				if last == -sign {
					u.Reversals++
				}
			}
			last = sign
		}
		u.RatioDrift = p.ratioDrift(i)
		u.LongestMiss = p.longestMiss(i)
		o.Units = append(o.Units, u)
	}
	for _, r := range p.replicas {
		if r.life.unit < 0 {
			continue
		}
		for k, change := range r.life.history {
			to := p.now
			if k+1 < len(r.life.history) {
				to = r.life.history[k+1].At
			}
			o.Replicas[r.index].Stages[change.Stage] += max(0, to.Sub(max(change.At, p.epoch)))
		}
	}
}

// longestMiss returns the longest time without a scrape that found the targets met.
func (p *plain) longestMiss(unit int) time.Duration {
	all, from := p.monitored[unit], 0
	if p.scrapesBefore != nil {
		from = p.scrapesBefore[unit]
	}
	longest, fine, since := time.Duration(0), true, p.epoch
	for i := from; i < len(all); i++ {
		var before autoscaling.Gateway
		if i > 0 {
			before = all[i-1].flow
		}
		if ended := all[i].flow.Ended - before.Ended; ended > 0 {
			fine = float64(all[i].flow.Good-before.Good) >= simulator.RecoveredShare*float64(ended)
		}
		if fine {
			since = all[i].at
		}
		longest = max(longest, all[i].at.Sub(since))
	}
	return longest
}

// ratioDrift returns by how much the ratio of the replicas that served was off.
func (p *plain) ratioDrift(unit int) float64 {
	var shown []plainShown
	before := 0 // of those that were noted before the figures started, all but the last
	for k, s := range p.shown {
		if s.unit != unit {
			continue
		}
		if k < p.stagesBefore {
			before = len(shown)
		}
		shown = append(shown, s)
	}
	ratio := float64(shown[0].serving[0]) / float64(shown[0].serving[1])
	sum, known := 0.0, time.Duration(0)
	for k, s := range shown {
		to := p.now
		if k+1 < len(shown) {
			to = shown[k+1].at
		}
		if k < before {
			continue
		}
		if span := to.Sub(max(s.at, p.epoch)); span > 0 && len(p.Scaling[unit].Pools) > 1 && ratio > 0 && !math.IsInf(ratio, 0) && s.serving[0] > 0 && s.serving[1] > 0 {
			sum += math.Abs(float64(s.serving[0])/float64(s.serving[1])/ratio-1) * float64(span)
			known += span
		}
	}
	if known == 0 {
		return 0
	}
	return sum / float64(known)
}

// plainAnswer counts an answer that ends whole.
func plainAnswer(a *autoscaling.Answers, now simtime.Time, q *request.Request) {
	a.PromptTokens += int64(q.Info.Tokens)
	for _, one := range []struct {
		in     *autoscaling.Durations
		bounds []time.Duration
		took   time.Duration
	}{
		{&a.TimeToFirstToken, autoscaling.AnswerFirstTokenBounds, q.FirstToken.Sub(q.Info.Arrival)},
		{&a.Duration, autoscaling.AnswerBounds, now.Sub(q.Info.Arrival)},
	} {
		bucket, _ := slices.BinarySearch(one.bounds, one.took)
		one.in.Buckets[bucket]++
		one.in.Sum += one.took
	}
}
