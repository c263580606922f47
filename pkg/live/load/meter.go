// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A Meter makes results of outcomes, as the simulator makes them of requests.
type Meter struct {
	labels        workload.Labels
	pools         []string
	targets       []simulator.Target
	tenantTargets [][]simulator.Target
	warmUp        time.Duration
	cells         map[cellKey]*simulator.Cell
	last          simtime.Time
	// cacheTold says that answers tell what the cache gave.
	cacheTold bool
}

// cellKey is what the requests of a cell have in common.
type cellKey struct{ pool, tenant, class, model int }

// compare orders cells as the simulator does.
func (k cellKey) compare(other cellKey) int {
	return cmp.Or(cmp.Compare(k.pool, other.pool), cmp.Compare(k.tenant, other.tenant), cmp.Compare(k.class, other.class), cmp.Compare(k.model, other.model))
}

// NewMeter returns a meter of the requests of a configuration.
func NewMeter(c *simulator.Config) *Meter {
	m := &Meter{
		labels: c.Source.Labels(), targets: c.Targets, tenantTargets: c.TenantTargets, warmUp: c.Horizon.WarmUp,
		cells: map[cellKey]*simulator.Cell{},
	}
	for i := range c.Pools {
		m.pools = append(m.pools, c.Pools[i].Name)
	}
	return m
}

// Add counts a request.
func (m *Meter) Add(o *Outcome) {
	if !o.Measured {
		return
	}
	m.last = max(m.last, o.End)
	c := m.cell(o)
	c.Arrived++
	if o.Request.Attempt > 0 {
		c.Retries++
	}
	if o.FirstToken >= 0 {
		c.TTFT.Record(int64(o.FirstToken.Sub(o.Arrival)))
		c.PromptTokens += int64(o.PromptTokens)
		c.CachedTokens += int64(o.CachedTokens)
		c.OutputTokens += int64(o.OutputTokens)
	}
	m.cacheTold = m.cacheTold || o.Scheduled
	for _, gap := range o.Gaps {
		c.ITL.Record(int64(gap))
	}
	switch o.Ended {
	case completed:
		m.complete(c, o)
	case rejected:
		c.Rejected++
		c.RejectedBy[o.Reason]++
	case timedOut:
		c.TimedOut++
	case unfinished:
		c.Unfinished++
	default:
		c.Failed++
	}
}

func (m *Meter) cell(o *Outcome) *simulator.Cell {
	key := cellKey{o.Pool, o.Tenant, o.Class, o.Model}
	c := m.cells[key]
	if c == nil {
		c = &simulator.Cell{Pool: key.pool, Tenant: key.tenant, Class: key.class, Model: key.model}
		m.cells[key] = c
	}
	return c
}

// complete counts an answer, and which targets it meets.
func (m *Meter) complete(c *simulator.Cell, o *Outcome) {
	ttft, e2e, tpot := o.FirstToken.Sub(o.Arrival), o.End.Sub(o.Arrival), time.Duration(0)
	c.Completed++
	c.E2E.Record(int64(e2e))
	if gaps := o.OutputTokens - 1; gaps > 0 {
		decode := o.LastToken.Sub(o.FirstToken)
		c.TPOT.Record(int64(decode) / int64(gaps))
		tpot = (decode + time.Duration(gaps) - 1) / time.Duration(gaps)
	}
	target := simulator.FindTarget(m.targets, m.tenantTargets, o.Tenant, o.Class)
	good := true
	for _, of := range []struct {
		took, target time.Duration
		met          *int64
	}{{ttft, target.TTFT, &c.MetTTFT}, {tpot, target.TPOT, &c.MetTPOT}, {e2e, target.E2E, &c.MetE2E}} {
		if of.target == 0 || of.took <= of.target {
			*of.met++
		} else {
			good = false
		}
	}
	if good {
		c.Good++
		if o.Request.Attempt == 0 {
			c.FirstGood++
		}
	}
}

// seen are the families of metrics that a client can measure; cacheHit where servers tell.
var seen = []string{
	"ttft", "tpot", "itl", "e2e", "goodput", "attainment", "firstAttemptGoodput", "completionRate", "rejectionRate",
	"timeoutRate", "failureRate", "unfinishedRate", "retries", "throughput", "fairness",
}

// Row is what was measured: the metrics over all requests, and others. The key names this run alone:
// another one of the same workload measures other figures.
func (m *Meter) Row(key string, seed int64, metrics []result.Metric) result.Row {
	measured := &simulator.Result{
		Labels: m.labels, Pools: m.pools, Measured: max(m.last.Sub(simtime.Time(m.warmUp)), 0), End: m.last,
	}
	for _, key := range slices.SortedFunc(maps.Keys(m.cells), cellKey.compare) {
		measured.Cells = append(measured.Cells, *m.cells[key])
	}
	row := result.RowOf(measured, result.Meta{
		Key: key, Seed: seed, WarmUp: m.warmUp, Targets: m.targets, TenantTargets: m.tenantTargets, Metrics: metrics,
		Disrupted: true, Timeouts: true, Retries: true,
	}, 0)
	row.Metrics, row.Decisions = m.onlySeen(row.Metrics), result.Decisions{}
	return row
}

// onlySeen leaves out the metrics of what only a server knows.
func (m *Meter) onlySeen(all result.Metrics) result.Metrics {
	kept := map[string]float64{}
	for text, value := range all.All() {
		name := result.MustParseMetric(text).Name
		if slices.Contains(seen, name) || name == "cacheHit" && m.cacheTold {
			kept[text] = value
		}
	}
	return result.NewMetrics(kept)
}

// RequestRow is a request as a row of a table of requests.
func (m *Meter) RequestRow(o *Outcome) result.RequestRow {
	q := &o.Request
	row := result.RequestRow{
		Request: int64(o.ID), ArrivalSeconds: o.Arrival.Seconds(), Measured: o.Measured,
		Identity: result.Identity{
			Source: m.labels.Clients[q.Client], Session: int64(q.Origin.Session), Turn: int64(q.Origin.Turn),
			Step: int64(q.Origin.Step), Attempt: int64(q.Attempt),
		},
		Class: m.labels.Classes[o.Class], Tenant: m.labels.Tenants[o.Tenant], Outcome: o.Ended, PromptTokens: int64(o.PromptTokens),
	}
	if q.Attempt > 0 {
		row.FirstRequest = new(int64(q.First))
	}
	if o.Model > 0 {
		row.Model = &m.labels.Models[o.Model-1]
	}
	if o.Endpoint != "" {
		row.Replica = &o.Endpoint
	}
	if o.Ended == rejected {
		row.Reason = new(o.Reason.String())
	}
	if o.FirstToken >= 0 {
		row.TTFTSeconds = new(o.FirstToken.Sub(o.Arrival).Seconds())
	}
	if o.Ended == completed {
		row.E2ESeconds, row.OutputTokens = new(o.End.Sub(o.Arrival).Seconds()), new(int64(o.OutputTokens))
		if gaps := o.OutputTokens - 1; gaps > 0 {
			row.TPOTSeconds = new(o.LastToken.Sub(o.FirstToken).Seconds() / float64(gaps))
		}
	}
	if o.Scheduled {
		row.GPUTokens, row.ComputedTokens = new(int64(o.CachedTokens)), new(int64(o.PromptTokens-o.CachedTokens))
	}
	return row
}
