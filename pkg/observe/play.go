// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// A Maker makes the input of a simulation under a seed, anew for each call. Calls may overlap.
type Maker func(seed int64) (simulator.Config, error)

// A Stage is what is played, and how it is scraped.
type Stage struct {
	// Window is the time. Its hours are those that are simulated, after the warm-up.
	Window Window
	// WarmUp is simulated before.
	WarmUp time.Duration
	// Bounds are the upper bounds of histograms in seconds, by their newest names.
	Bounds map[string][]float64
	// ByReplica has the counters of each replica apart, as in a cluster. Their sums are the same.
	ByReplica bool
}

// NoTrafficError says that the requests of a scenario end before the time that is looked at.
type NoTrafficError struct{ Last, Needed time.Duration }

func (e *NoTrafficError) Error() string {
	return fmt.Sprintf("the last request of the scenario arrives after %v, but %v of traffic are needed: take shorter hours (--every, or --last with --follow), or a scenario that goes on", e.Last.Round(time.Second), e.Needed)
}

// Play simulates a scenario under a seed, and scrapes it.
func (s *Stage) Play(ctx context.Context, maker Maker, seed int64, a Assumptions) (*Recording, error) {
	config, err := maker(seed)
	if err != nil {
		return nil, err
	}
	lasts := time.Duration(s.Window.Hours) * s.Window.Every
	config.Horizon = simulator.Horizon{Duration: s.WarmUp + lasts, WarmUp: s.WarmUp}
	last := watchLast(&config)
	a.apply(&config, seed)
	x := newExporter(s, &config)
	x.attach(&config)
	if _, err := simulation.Run(ctx, config); err != nil {
		return nil, err
	}
	if last.ended && config.Listener == nil && a == AsStated() {
		return nil, &NoTrafficError{time.Duration(last.at), s.WarmUp + lasts}
	}
	return x.recording(), nil
}
