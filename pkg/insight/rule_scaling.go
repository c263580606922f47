// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// scaleOscillation counts the changes of a scaler that take back the change before, within a
// window.
type scaleOscillation struct{ units []swings }

type swings struct {
	changes, downs, reversals int
	first                     simtime.Time
	last                      simtime.Time
	direction                 int
	// swinging is the time between changes and their reversals.
	swinging time.Duration
	// notes are the names of the values that decisions rest on.
	notes []string
}

func (s *scaleOscillation) begin(units int) { s.units = make([]swings, units) }

func (s *scaleOscillation) scaled(c *Collector, d simulator.ScalerCall) {
	u := &s.units[d.Unit]
	if u.notes == nil {
		for _, n := range d.Notes {
			u.notes = append(u.notes, n.Name)
		}
	}
	by := 0
	for k := range d.Wanted {
		by += d.Wanted[k] - d.Was[k]
	}
	if by == 0 {
		return
	}
	direction := 1
	if by < 0 {
		direction = -1
		u.downs++
	}
	if since := d.At.Sub(u.last); u.direction == -direction && since <= c.by.ReversalWindow {
		if u.reversals == 0 {
			u.first = d.At
		}
		u.reversals++
		u.swinging += since
	}
	u.changes++
	u.direction, u.last = direction, d.At
}

func (s *scaleOscillation) anomalies(c *Collector) []Anomaly {
	var all []Anomaly
	for i := range s.units {
		u := &s.units[i]
		if u.reversals < c.by.Reversals {
			continue
		}
		all = append(all, Anomaly{
			Type: ScaleOscillation, About: "scaler " + c.scaling[i].Name, AtSeconds: u.first.Seconds(), Count: u.reversals,
			Share:    clamp(u.swinging.Seconds() / max(c.duration().Seconds(), 1e-9)),
			Severity: clamp(float64(u.reversals) / 10),
			Values:   []Value{{"changes up", float64(u.changes - u.downs)}, {"changes down", float64(u.downs)}, {"reversals", float64(u.reversals)}, {"window in s", c.by.ReversalWindow.Seconds()}},
		})
	}
	return all
}
