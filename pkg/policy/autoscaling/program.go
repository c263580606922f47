// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// programWindow is the time over which programs see rates and shares.
const programWindow = time.Minute

// program lets a program size the pools.
type program struct {
	*sandbox.Caller
	window time.Duration
	// changed is when the wanted replicas of each pool changed last; were is what they were,
	// unless asked is false: then the program was never asked.
	changed [2]simtime.Time
	were    [2]int
	asked   bool
}

// ProgramConfig returns the configuration of a scaler by a program of the layout
// [sandbox.AutoscaleLayout].
func ProgramConfig(code sandbox.Code, l *sandbox.Layout, world World, seed int64, faults *policy.Faults) *Config {
	window := max(programWindow, world.Delay+2*world.ScrapeInterval)
	return &Config{Window: window, make: func() Scaler {
		draw := stats.NewStream(seed, "sandbox/autoscale").Float64
		return &waking{&program{Caller: sandbox.NewCaller(code, l, len(world.Pools), draw, faults), window: window}}
	}}
}

func (p *program) Scale(view *View, wanted []int) Reason {
	p.fill(view)
	answer, ok := p.Call()
	if !ok {
		return "the program has a fault"
	}
	was := listed(wanted)
	for k := range wanted {
		wanted[k] = view.Pools[k].bounded(int(answer[k]))
	}
	if now := listed(wanted); now != was {
		return Reason(fmt.Sprintf("from %s to %s: the program says so", was, now))
	}
	return Reason(fmt.Sprintf("stays at %s: the program says so", was))
}

// fill shows the program the pools, in the layout's order.
func (p *program) fill(view *View) {
	rate, _ := view.ArrivalRate(p.window)
	attainment, some := view.Attainment(p.window)
	if !some {
		attainment = 1
	}
	held := 0
	if s := view.Monitor.Latest(view.Now); s != nil {
		held = s.Gateway.Queued + s.Gateway.Awaiting
	}
	copy(p.Frame.Scalars, []float64{rate, float64(held), attainment})
	p.Frame.Resize(p.Layout, len(view.Pools))
	width := p.Layout.Columns()
	for k := range view.Pools {
		p.fillPool(p.Frame.Cells[k*width:(k+1)*width], view, k)
	}
	p.asked = true
}

func (p *program) fillPool(cells []float64, view *View, k int) {
	pool := &view.Pools[k]
	if p.asked && pool.Wanted != p.were[k] {
		p.changed[k] = view.Now
	}
	p.were[k] = pool.Wanted
	waiting, _ := view.MeanOverEngines(pool, Waiting)
	running, _ := view.MeanOverEngines(pool, func(e *Engine) float64 { return float64(e.Running) })
	usage, _ := view.MeanOverEngines(pool, KVUsage)
	busy, _ := view.Utilization(pool, p.window)
	copy(cells, []float64{
		float64(pool.Wanted), float64(pool.Ready()), float64(pool.Min), float64(pool.Max),
		waiting, running, usage, busy, view.Now.Sub(p.changed[k]).Seconds(),
	})
}
