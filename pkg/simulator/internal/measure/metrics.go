// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Discard is the index of the cell that takes what is not measured: requests
// of the warm-up.
const Discard = 0

// Metrics collects the figures of a run.
type Metrics struct {
	targets                  []simulator.Target
	tenantTargets            [][]simulator.Target
	WarmUp                   simtime.Time
	tenants, classes, Models int
	// index gives the cell of (pool+1, tenant, class, model); 0 where none is yet.
	index []int32
	Cells []*simulator.Cell
	// poolOf is the pool of the requests of a router that reach no replica; nil without a
	// route.
	poolOf []int
	// last is when something measured happened last.
	last      simtime.Time
	Decisions decisionTally
	// Ended receives each request that ends, measured or not; nil if it is not needed.
	Ended func(at simtime.Time, q *request.Request, how simulator.SeriesColumn)
}

// NewMetrics returns the figures of a run, all zero.
func NewMetrics(targets []simulator.Target, tenantTargets [][]simulator.Target, warmUp time.Duration, pools []simulator.Pool, labels workload.Labels) Metrics {
	tenants, classes, models := max(len(labels.Tenants), 1), max(len(labels.Classes), 1), len(labels.Models)+1
	return Metrics{
		targets: targets, tenantTargets: tenantTargets,
		WarmUp:  simtime.Time(warmUp),
		tenants: tenants,
		classes: classes,
		Models:  models,
		index:   make([]int32, (len(pools)+1)*tenants*classes*models),
		Cells:   []*simulator.Cell{{}},

		Decisions: newDecisionTally(pools),
	}
}

// CountByRouter has the requests of a route that reach no replica counted in the pool of their
// router, where that has one pool: then the figures of a pool are those of all requests that the
// route sends to it.
func (m *Metrics) CountByRouter(c *simulator.Config) {
	if c.Route == nil {
		return
	}
	m.poolOf = slices.Repeat([]int{simulator.NoPool}, c.Routers())
	several := make([]bool, c.Routers())
	for i := range c.Pools {
		router := c.Pools[i].Router
		several[router] = several[router] || m.poolOf[router] != simulator.NoPool
		m.poolOf[router] = i
	}
	for router := range several {
		if several[router] {
			m.poolOf[router] = simulator.NoPool
		}
	}
}

// cell returns the index of a request's cell, made when first asked for.
func (m *Metrics) cell(pool int, info *policy.Request) int32 {
	if info.Arrival < m.WarmUp {
		return Discard
	}
	if pool == simulator.NoPool && m.poolOf != nil {
		pool = m.poolOf[info.Router]
	}
	slot := &m.index[(((pool+1)*m.tenants+info.Tenant)*m.classes+info.Class)*m.Models+int(info.Model)]
	if *slot == 0 {
		*slot = int32(len(m.Cells))
		m.Cells = append(m.Cells, &simulator.Cell{Pool: pool, Tenant: info.Tenant, Class: info.Class, Model: int(info.Model)})
	}
	return *slot
}

// Touch notes that something of a cell happened now.
func (m *Metrics) Touch(now simtime.Time, cell int32) *simulator.Cell {
	if cell != Discard {
		m.last = max(m.last, now)
	}
	return m.Cells[cell]
}

// End takes in the end of a request, and tells of it.
func (m *Metrics) End(at simtime.Time, q *request.Request, how simulator.SeriesColumn) {
	m.Decisions.ended(at, q, how)
	if m.Ended != nil {
		m.Ended(at, q, how)
	}
}

// Arrived counts a request that a pool serves and returns its cell.
func (m *Metrics) Arrived(now simtime.Time, pool int, q *request.Request) int32 {
	cell := m.cell(pool, &q.Info)
	c := m.Touch(now, cell)
	c.Arrived++
	if q.Retry {
		c.Retries++
	}
	return cell
}

// Rejected counts a request that is rejected on its arrival.
func (m *Metrics) Rejected(now simtime.Time, pool int, q *request.Request, reason simulator.Reason) {
	c := m.Cells[m.Arrived(now, pool, q)]
	c.Rejected++
	c.RejectedBy[reason]++
	m.End(now, q, simulator.SeriesRejected)
}

// Evicted counts a request as rejected that a pool has been serving.
func (m *Metrics) Evicted(now simtime.Time, q *request.Request) {
	c := m.Touch(now, q.Cell)
	c.Rejected++
	c.RejectedBy[simulator.Evicted]++
	m.End(now, q, simulator.SeriesRejected)
}

// TimedOut counts a request whose client gave up.
func (m *Metrics) TimedOut(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).TimedOut++
	m.End(now, q, simulator.SeriesTimedOut)
}

// Failed counts a request that a failure of its replica ended.
func (m *Metrics) Failed(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).Failed++
	m.End(now, q, simulator.SeriesFailed)
}

// Unfinished counts a request that has not ended when the run ends.
func (m *Metrics) Unfinished(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).Unfinished++
	m.End(now, q, simulator.SeriesUnfinished)
}

// Kept records that a request goes to a replica, after the router was asked.
func (m *Metrics) Kept(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).GatewayQueueing.Record(int64(now - q.RoutedAt))
}

// Delayed records how long the admission made a request wait that goes to a replica.
func (m *Metrics) Delayed(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).AdmissionDelay.Record(int64(q.RoutedAt - q.Info.Arrival))
}

// Scheduled records the first admission of a request into a batch.
func (m *Metrics) Scheduled(now simtime.Time, q *request.Request) {
	c := m.Touch(now, q.Cell)
	c.Queueing.Record(int64(now - q.Info.Arrival))
	c.PromptTokens += int64(q.Prompt)
	c.CachedTokens += int64(q.Cached)
	for k, tokens := range q.TierTokens {
		c.TierTokens[k] += int64(tokens)
	}
}

// Believed records what the router had believed of a request that is admitted for the
// first time, and what a cache of such blocks gave it. What no cache can give, the last
// token and the rest of its block, is left out.
func (m *Metrics) Believed(now simtime.Time, q *request.Request, block int32) {
	if !q.Believed.Known {
		return
	}
	promised := int64(min(q.Believed.Tokens, int((q.Prompt-1)/block*block)))
	found := int64(q.Cached)
	for _, tokens := range q.TierTokens {
		found += int64(tokens)
	}
	c := m.Touch(now, q.Cell)
	c.BelievedPromptTokens += int64(q.Prompt)
	c.PromisedTokens += promised
	c.FoundTokens += found
	c.KeptTokens += min(promised, found)
}

// HandedOver records that a request may decode, so long after its prompt was
// computed elsewhere.
func (m *Metrics) HandedOver(now simtime.Time, q *request.Request, after time.Duration) {
	c := m.Touch(now, q.Cell)
	c.Handoffs++
	c.Handoff.Record(int64(after))
}

// Loaded records that a request's KV has come from lower tiers.
func (m *Metrics) Loaded(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).KVLoad.Record(int64(now - q.Loading))
}

// AwaitedAdapter records how long a request waited for its adapter.
func (m *Metrics) AwaitedAdapter(now simtime.Time, q *request.Request) {
	m.Touch(now, q.Cell).AdapterWait.Record(int64(now - q.LacksAdapter))
}

// Tokens records n tokens that each came a gap, in ns, after the one before.
func (m *Metrics) Tokens(now simtime.Time, cell int32, gap, n int64) {
	if cell == Discard {
		return
	}
	c := m.Touch(now, cell)
	c.OutputTokens += n
	c.ITL.RecordN(gap, n)
}

// Burst records n tokens of one request that came at once, a gap, in ns, after those
// before: one value of ITL, as engine and clients measure it.
func (m *Metrics) Burst(now simtime.Time, cell int32, gap, n int64) {
	if cell == Discard {
		return
	}
	c := m.Touch(now, cell)
	c.OutputTokens += n
	c.ITL.Record(gap)
}

// Verified records the drafts of a request in a step, and how many of them are accepted.
func (m *Metrics) Verified(now simtime.Time, cell int32, drafts, accepted int64) {
	c := m.Touch(now, cell)
	if drafts > 0 {
		c.Drafts++
	}
	c.DraftTokens += drafts
	c.AcceptedTokens += accepted
}

// FirstToken records a request's first token.
func (m *Metrics) FirstToken(now simtime.Time, q *request.Request) {
	c := m.Touch(now, q.Cell)
	c.OutputTokens++
	c.TTFT.Record(int64(q.FirstToken - q.Info.Arrival))
	c.EngineTTFT.Record(int64(now - q.Entered))
}

// Completed records a request whose last token reached the gateway at one time
// and whose stream ended at another, and reports whether it met all of its targets.
func (m *Metrics) Completed(last, end simtime.Time, q *request.Request) (good bool) {
	c := m.Touch(end, q.Cell)
	ttft := q.FirstToken.Sub(q.Info.Arrival)
	e2e := end.Sub(q.Info.Arrival)
	decode := last.Sub(q.FirstToken)
	gaps := q.Generated() - 1

	c.Completed++
	m.End(end, q, simulator.SeriesCompleted)
	c.E2E.Record(int64(e2e))
	if gaps > 0 {
		c.TPOT.Record(int64(decode) / int64(gaps))
	}

	target := m.Target(q.Info.Tenant, q.Info.Class)
	metTTFT := within(ttft, target.TTFT)
	metTPOT := gaps <= 0 || within((decode+time.Duration(gaps)-1)/time.Duration(gaps), target.TPOT)
	metE2E := within(e2e, target.E2E)
	if metTTFT {
		c.MetTTFT++
	}
	if metTPOT {
		c.MetTPOT++
	}
	if metE2E {
		c.MetE2E++
	}
	good = metTTFT && metTPOT && metE2E
	if good {
		c.Good++
		if !q.Retry {
			c.FirstGood++
		}
	}
	return good
}

// Target returns the target of a tenant and class.
func (m *Metrics) Target(tenant, class int) simulator.Target {
	return simulator.FindTarget(m.targets, m.tenantTargets, tenant, class)
}

// within says whether a duration meets a target; 0 is none.
func within(d, target time.Duration) bool { return target == 0 || d <= target }

// Report returns the cells in order of pool, tenant, class and model.
func (m *Metrics) Report() []simulator.Cell {
	cells := make([]simulator.Cell, 0, len(m.Cells)-1)
	for _, i := range m.index {
		if i != 0 {
			cells = append(cells, *m.Cells[i])
		}
	}
	return cells
}

// Span is the time that throughput is over.
func (m *Metrics) Span() time.Duration { return max(m.last.Sub(m.WarmUp), 0) }

// CheckCell panics where a cell's counts do not add up.
func CheckCell(c *simulator.Cell) {
	rejected := int64(0)
	for _, n := range c.RejectedBy {
		rejected += n
	}
	ended := c.Completed + c.Rejected + c.TimedOut + c.Failed + c.Unfinished
	if c.Arrived != ended || c.Rejected != rejected {
		panic(fmt.Sprintf("simulator: pool %d, tenant %d, class %d: %d arrived and %d ended, %d rejected and %d for a reason",
			c.Pool, c.Tenant, c.Class, c.Arrived, ended, c.Rejected, rejected))
	}
}
