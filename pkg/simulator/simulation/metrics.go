// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// discard is the index of the cell that takes what is not measured: requests
// of the warm-up.
const discard = 0

// metrics collects the figures of a run.
type metrics struct {
	targets                  []simulator.Target
	tenantTargets            [][]simulator.Target
	warmUp                   simtime.Time
	tenants, classes, models int
	// index gives the cell of (pool+1, tenant, class, model); 0 where none is yet.
	index []int32
	cells []*simulator.Cell
	// last is when something measured happened last.
	last      simtime.Time
	decisions decisionTally
	// ended is told of each request that ends, measured or not; nil where nobody wants to know.
	ended func(at simtime.Time, q *request.Request, how simulator.SeriesColumn)
}

func newMetrics(targets []simulator.Target, tenantTargets [][]simulator.Target, warmUp time.Duration, pools []simulator.Pool, labels workload.Labels) metrics {
	tenants, classes, models := max(len(labels.Tenants), 1), max(len(labels.Classes), 1), len(labels.Models)+1
	return metrics{
		targets: targets, tenantTargets: tenantTargets,
		warmUp:  simtime.Time(warmUp),
		tenants: tenants,
		classes: classes,
		models:  models,
		index:   make([]int32, (len(pools)+1)*tenants*classes*models),
		cells:   []*simulator.Cell{{}},

		decisions: newDecisionTally(pools),
	}
}

// cell returns the index of a request's cell, made when first asked for.
func (m *metrics) cell(pool int, info *policy.Request) int32 {
	if info.Arrival < m.warmUp {
		return discard
	}
	slot := &m.index[(((pool+1)*m.tenants+info.Tenant)*m.classes+info.Class)*m.models+int(info.Model)]
	if *slot == 0 {
		*slot = int32(len(m.cells))
		m.cells = append(m.cells, &simulator.Cell{Pool: pool, Tenant: info.Tenant, Class: info.Class, Model: int(info.Model)})
	}
	return *slot
}

// touch notes that something of a cell happened now.
func (m *metrics) touch(now simtime.Time, cell int32) *simulator.Cell {
	if cell != discard {
		m.last = max(m.last, now)
	}
	return m.cells[cell]
}

// end takes in the end of a request, and tells of it.
func (m *metrics) end(at simtime.Time, q *request.Request, how simulator.SeriesColumn) {
	m.decisions.ended(at, q, how)
	if m.ended != nil {
		m.ended(at, q, how)
	}
}

// arrived counts a request that a pool serves and returns its cell.
func (m *metrics) arrived(now simtime.Time, pool int, q *request.Request) int32 {
	cell := m.cell(pool, &q.Info)
	c := m.touch(now, cell)
	c.Arrived++
	if q.Retry {
		c.Retries++
	}
	return cell
}

func (m *metrics) rejected(now simtime.Time, pool int, q *request.Request, reason simulator.Reason) {
	c := m.cells[m.arrived(now, pool, q)]
	c.Rejected++
	c.RejectedBy[reason]++
	m.end(now, q, simulator.SeriesRejected)
}

// evicted counts a request as rejected that a pool has been serving.
func (m *metrics) evicted(now simtime.Time, q *request.Request) {
	c := m.touch(now, q.Cell)
	c.Rejected++
	c.RejectedBy[simulator.Evicted]++
	m.end(now, q, simulator.SeriesRejected)
}

func (m *metrics) timedOut(now simtime.Time, q *request.Request) {
	m.touch(now, q.Cell).TimedOut++
	m.end(now, q, simulator.SeriesTimedOut)
}

func (m *metrics) failed(now simtime.Time, q *request.Request) {
	m.touch(now, q.Cell).Failed++
	m.end(now, q, simulator.SeriesFailed)
}

func (m *metrics) unfinished(now simtime.Time, q *request.Request) {
	m.touch(now, q.Cell).Unfinished++
	m.end(now, q, simulator.SeriesUnfinished)
}

// kept records that a request goes to a replica, after the router was asked.
func (m *metrics) kept(now simtime.Time, q *request.Request) {
	m.touch(now, q.Cell).GatewayQueueing.Record(int64(now - q.RoutedAt))
}

// delayed records how long the admission made a request wait that goes to a replica.
func (m *metrics) delayed(now simtime.Time, q *request.Request) {
	m.touch(now, q.Cell).AdmissionDelay.Record(int64(q.RoutedAt - q.Info.Arrival))
}

// scheduled records the first admission of a request into a batch.
func (m *metrics) scheduled(now simtime.Time, q *request.Request) {
	c := m.touch(now, q.Cell)
	c.Queueing.Record(int64(now - q.Info.Arrival))
	c.PromptTokens += int64(q.Prompt)
	c.CachedTokens += int64(q.Cached)
	for k, tokens := range q.TierTokens {
		c.TierTokens[k] += int64(tokens)
	}
}

// believed records what the router had believed of a request that is admitted for the
// first time, and what a cache of such blocks gave it. What no cache can give, the last
// token and the rest of its block, is left out.
func (m *metrics) believed(now simtime.Time, q *request.Request, block int32) {
	if !q.Believed.Known {
		return
	}
	promised := int64(min(q.Believed.Tokens, int((q.Prompt-1)/block*block)))
	found := int64(q.Cached)
	for _, tokens := range q.TierTokens {
		found += int64(tokens)
	}
	c := m.touch(now, q.Cell)
	c.BelievedPromptTokens += int64(q.Prompt)
	c.PromisedTokens += promised
	c.FoundTokens += found
	c.KeptTokens += min(promised, found)
}

// handedOver records that a request may decode, so long after its prompt was
// computed elsewhere.
func (m *metrics) handedOver(now simtime.Time, q *request.Request, after time.Duration) {
	c := m.touch(now, q.Cell)
	c.Handoffs++
	c.Handoff.Record(int64(after))
}

// loaded records that a request's KV has come from lower tiers.
func (m *metrics) loaded(now simtime.Time, q *request.Request) {
	m.touch(now, q.Cell).KVLoad.Record(int64(now - q.Loading))
}

// tokens records n tokens that each came a gap, in ns, after the one before.
func (m *metrics) tokens(now simtime.Time, cell int32, gap, n int64) {
	if cell == discard {
		return
	}
	c := m.touch(now, cell)
	c.OutputTokens += n
	c.ITL.RecordN(gap, n)
}

// burst records n tokens of one request that came at once, a gap, in ns, after those
// before: one value of ITL, as engine and clients measure it.
func (m *metrics) burst(now simtime.Time, cell int32, gap, n int64) {
	if cell == discard {
		return
	}
	c := m.touch(now, cell)
	c.OutputTokens += n
	c.ITL.Record(gap)
}

// verified records the drafts of a request in a step, and how many of them are accepted.
func (m *metrics) verified(now simtime.Time, cell int32, drafts, accepted int64) {
	c := m.touch(now, cell)
	if drafts > 0 {
		c.Drafts++
	}
	c.DraftTokens += drafts
	c.AcceptedTokens += accepted
}

// firstToken records a request's first token.
func (m *metrics) firstToken(now simtime.Time, q *request.Request) {
	c := m.touch(now, q.Cell)
	c.OutputTokens++
	c.TTFT.Record(int64(q.FirstToken - q.Info.Arrival))
	c.EngineTTFT.Record(int64(now - q.Entered))
}

// completed records a request whose last token reached the gateway at one time
// and whose stream ended at another, and reports whether it met all of its targets.
func (m *metrics) completed(last, end simtime.Time, q *request.Request) (good bool) {
	c := m.touch(end, q.Cell)
	ttft := q.FirstToken.Sub(q.Info.Arrival)
	e2e := end.Sub(q.Info.Arrival)
	decode := last.Sub(q.FirstToken)
	gaps := q.Generated() - 1

	c.Completed++
	m.end(end, q, simulator.SeriesCompleted)
	c.E2E.Record(int64(e2e))
	if gaps > 0 {
		c.TPOT.Record(int64(decode) / int64(gaps))
	}

	target := m.target(q.Info.Tenant, q.Info.Class)
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

func (m *metrics) target(tenant, class int) simulator.Target {
	return simulator.FindTarget(m.targets, m.tenantTargets, tenant, class)
}

// within says whether a duration meets a target; 0 is none.
func within(d, target time.Duration) bool { return target == 0 || d <= target }

// report returns the cells in order of pool, tenant, class and model.
func (m *metrics) report() []simulator.Cell {
	cells := make([]simulator.Cell, 0, len(m.cells)-1)
	for _, i := range m.index {
		if i != 0 {
			cells = append(cells, *m.cells[i])
		}
	}
	return cells
}

// span is the time that throughput is over.
func (m *metrics) span() time.Duration { return max(m.last.Sub(m.warmUp), 0) }

// checkCell panics where a cell's counts do not add up.
func checkCell(c *simulator.Cell) {
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
