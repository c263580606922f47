// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	"windtunnel.dev/windtunnel/pkg/result"
)

// play is a rehearsal under way: a load that a real EPP distributes, what the EPP chooses, and what the replicas note.
// Those who start replicas and EPP differ.
type play struct {
	*measurement
	load    loadOptions
	choices *rehearse.Choices
	notes   *rehearse.Notes
	// behindWarmUp are the IDs of requests.
	behindWarmUp []string
}

// newPlay is one on some replicas.
func newPlay(m *measurement, load loadOptions, on []epp.Endpoint) *play {
	var addresses []string
	for _, e := range on {
		addresses = append(addresses, e.Address.String())
	}
	p := &play{measurement: m, load: load, choices: rehearse.NewChoices(addresses), notes: rehearse.NewNotes(len(on), 0)}
	p.choices.Speed = load.speed
	p.heard = append(p.heard, p.hear)
	return p
}

// send sends the load through the EPP.
func (p *play) send(ctx context.Context) error {
	err := p.measurement.send(ctx, &p.load)
	p.choices.Start = p.start
	return err
}

// hear takes a request that has ended.
func (p *play) hear(e *load.Outcome) {
	p.choices.Add(e)
	if e.Measured {
		p.behindWarmUp = append(p.behindWarmUp, load.RequestID(p.seed, e.ID))
	}
}

// take takes what the EPP told of the requests.
func (p *play) take(moments *epp.Moments) {
	told := moments.ByRequest()
	p.choices.SetMoments(func(request int) (chosen, ended time.Time) {
		of := told[load.RequestID(p.seed, request)]
		return of.Chosen, of.Ended
	})
}

// recording is what was live.
func (p *play) recording() *recording {
	return &recording{
		EPP:     rehearse.Recording{Choices: p.choices, Scrapes: p.notes.Scrapes()},
		Metrics: []result.Metrics{p.notes.Metrics(p.behindWarmUp), p.row.Metrics}, Client: p.client(&p.load),
	}
}
