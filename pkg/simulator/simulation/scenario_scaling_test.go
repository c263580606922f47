// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// scripted is a scaler that wants what a script says from a time on, as 30ms:2 or, of two
// pools, 30ms:2/6.
type scripted []string

func (s scripted) Scale(v *autoscaling.View, wanted []int) autoscaling.Reason {
	for _, change := range s {
		from, counts, _ := strings.Cut(change, ":")
		if at, err := time.ParseDuration(from); err != nil {
			panic(err)
		} else if v.Now < simtime.Time(at) {
			break
		}
		for k, count := range strings.Split(counts, "/") {
			n, err := strconv.Atoi(count)
			if err != nil {
				panic(err)
			}
			wanted[k] = n
		}
	}
	return "the script says so"
}

// life reads how the replicas of a pool start and end.
func (l line) life(p *simulator.Pool) {
	p.MaxReplicas = l.number("max")
	if l.values["replicas"] == "0" {
		p.Replicas = 0
	}
	p.Startup = simulator.Startup{
		Provisioning: simulator.Delay{Mean: l.duration("provisioning")}, ImagePull: simulator.Delay{Mean: l.duration("imagepull")},
		ModelLoad: simulator.Delay{Mean: l.duration("modelload")},
	}
	if words := strings.Split(l.values["warmup"], ":"); len(words) == 3 {
		penalty, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			l.t.Fatalf("line %d: %v", l.row, err)
		}
		curve := map[string]simulator.WarmUpCurve{"linear": simulator.LinearWarmUp, "exponential": simulator.ExponentialWarmUp, "step": simulator.StepWarmUp}[words[1]]
		p.Startup.WarmUp = simulator.WarmUp{Duration: l.parseDuration(words[0]), Curve: curve, Penalty: penalty}
	}
	mode := map[string]simulator.EndingMode{"": simulator.EndWhenServed, "served": simulator.EndWhenServed, "atonce": simulator.EndAtOnce, "elsewhere": simulator.EndElsewhere}[l.values["ending"]]
	p.Ending = simulator.Ending{Mode: mode, Timeout: l.duration("timeout"), Poll: l.duration("poll")}
	p.NodePool, p.Accelerators = l.number("node"), l.number("accelerators")
}

func (l line) nodePool() simulator.NodePool {
	return simulator.NodePool{
		Accelerators: l.number("accelerators"), Nodes: l.number("nodes"), MaxNodes: l.number("max"),
		Provisioning: simulator.Delay{Mean: l.duration("provisioning")}, IdleTimeout: l.duration("idle"),
	}
}

// scaler reads a unit. Its scaler and its monitor are made anew for each run.
func (l line) scaler(c *simulator.Config) func() simulator.ScaledUnit {
	u := simulator.ScaledUnit{Name: "unit", Interval: l.duration("every")}
	endpoints, world := 0, autoscaling.World{ScrapeInterval: l.duration("scrape"), Delay: l.duration("delay")}
	pools := l.list("pools")
	if pools == nil {
		pools = []string{"0"}
	}
	for _, text := range pools {
		p := l.parseNumber(text)
		most := c.Pools[p].Places()
		u.Pools, u.Min, u.Max = append(u.Pools, p), append(u.Min, l.number("min")), append(u.Max, most)
		world.Pools = append(world.Pools, autoscaling.PoolBounds{Name: text, Min: l.number("min"), Max: most})
		endpoints += most
	}
	return func() simulator.ScaledUnit {
		again, window := u, time.Duration(0)
		if name := l.values["policy"]; name != "" {
			config, errs := autoscaling.Load(autoscaling.Spec{Name: name, Parameters: l.parameters()}, world, nil)
			if len(errs) > 0 {
				l.t.Fatalf("line %d: %v", l.row, errs.ToAggregate())
			}
			again.Scaler, window = config.New(), config.Window
		} else {
			again.Scaler = scripted(l.list("wants"))
		}
		again.Monitor = autoscaling.NewMonitor(endpoints, world.ScrapeInterval, world.Delay, window)
		return again
	}
}

// parameters are the words that the line has for a policy: those that begin with "with.".
func (l line) parameters() map[string]string {
	all := map[string]string{}
	for key, value := range l.values {
		if name, ok := strings.CutPrefix(key, "with."); ok {
			all[name] = value
		}
	}
	return all
}

// stages are the changes of stages of an outcome's replicas, as a script has them.
func stages(changes []simulator.StageChange) []string {
	var all []string
	for _, c := range changes {
		all = append(all, fmt.Sprintf("%v %d %v", time.Duration(c.At), c.Endpoint, c.Stage))
	}
	return all
}
