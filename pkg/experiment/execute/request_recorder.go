// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"errors"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A RequestSink takes the requests of one simulation as they end, in an order that
// is the same in every run of it. Close is called when the simulation is over,
// also where it did not come to its end.
type RequestSink interface {
	Write(*result.RequestRow) error
	Close() error
}

// requestRecorder describes the requests of a simulation to a sink.
type requestRecorder struct {
	sink     RequestSink
	row      result.RequestRow
	labels   workload.Labels
	pools    []string
	replicas []string
	sent     sentRequests
	err      error
}

// recordRequests records the requests of a simulation in a sink; nil if the
// requests are not needed.
func (w observers) recordRequests(point experiment.Point, seed int64, c *simulator.Config) (*requestRecorder, error) {
	if w.requests == nil {
		return nil, nil
	}
	sink, err := w.requests(point, seed)
	if err != nil {
		return nil, err
	}
	t := &requestRecorder{
		sink: sink, row: result.RequestRow{Point: int64(point.ID), Seed: seed},
		labels: c.Source.Labels(), sent: watchSent(c),
	}
	for i := range c.Pools {
		t.pools = append(t.pools, c.Pools[i].Name)
		t.replicas = append(t.replicas, c.Pools[i].EndpointNames()...)
	}
	c.Ended = both(c.Ended, t.ended)
	return t, nil
}

// ended writes a request, unless one could not be written.
func (t *requestRecorder) ended(e simulator.RequestEnd) {
	if t.err != nil {
		return
	}
	row := t.describe(&e)
	t.err = t.sink.Write(&row)
}

func (t *requestRecorder) describe(e *simulator.RequestEnd) result.RequestRow {
	row := t.row
	row.Request, row.ArrivalSeconds, row.Measured = int64(e.ID), e.Arrival.Sub(0).Seconds(), e.Measured
	from := t.sent.take(e.ID)
	row.Identity = result.Identity{
		Source: t.labels.Clients[from.client], Session: int64(from.Session), Turn: int64(from.Turn),
		Step: int64(from.Step), Attempt: int64(from.attempt),
	}
	if from.attempt > 0 {
		row.FirstRequest = new(int64(from.first))
	}
	row.Class, row.Tenant = t.labels.Classes[e.Class], t.labels.Tenants[e.Tenant]
	if e.Model > 0 {
		row.Model = &t.labels.Models[e.Model-1]
	}
	row.Outcome, row.PromptTokens = e.Ended, int64(e.PromptTokens)
	if e.Pool != simulator.NoPool {
		row.Pool = &t.pools[e.Pool]
	}
	if e.Replica != simulator.NoReplica {
		row.Replica = &t.replicas[e.Replica]
	}
	if e.Ended == "rejected" {
		row.Reason = new(e.Reason.String())
	}
	if e.FirstToken >= 0 {
		row.TTFTSeconds = new(e.FirstToken.Sub(e.Arrival).Seconds())
	}
	if e.Ended == "completed" {
		row.E2ESeconds, row.OutputTokens = new(e.End.Sub(e.Arrival).Seconds()), new(int64(e.OutputTokens))
		if gaps := e.OutputTokens - 1; gaps > 0 {
			row.TPOTSeconds = new(e.LastToken.Sub(e.FirstToken).Seconds() / float64(gaps))
		}
	}
	if e.Scheduled {
		gpu, cpu, storage := int64(e.CachedTokens), int64(e.TierTokens[simulator.CPUTier]), int64(e.TierTokens[simulator.StorageTier])
		row.GPUTokens, row.CPUTokens, row.StorageTokens = &gpu, &cpu, &storage
		row.ComputedTokens, row.RemoteTokens = new(row.PromptTokens-gpu-cpu-storage), new(int64(e.RemoteTokens))
	}
	return row
}

// close ends the telling.
func (t *requestRecorder) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.err, t.sink.Close())
}
