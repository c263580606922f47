// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// What a simulation takes of a core of the machine in docs/performance.md:
// something to set it up, and for each request something to route it and to
// compute its tokens. Loads under which requests wait and are preempted take up
// to some five times as much.
const (
	setupSeconds    = 3e-4
	requestSeconds  = 2e-6
	outputSeconds   = 2e-8 // a token
	unknownRate     = 10.0 // requests a second of a trace whose length is not known
	unknownOutput   = 200.0
	unknownDuration = 10 * time.Minute
	loopTTFT        = 0.2 // seconds
	loopTPOT        = 0.02
)

// Cost returns what estimates the core-seconds of one simulation of a trial. It
// serves to share work out evenly and to warn, and changes no result.
func (p *Plan) Cost() func(*Trial) float64 {
	base := EstimatedSeconds(setup.DecodeScenario(p.Scenario))
	var varied []int // parameters that change what the estimate is made of
	for i := range p.Parameters {
		if path := p.Parameters[i].Path; strings.HasPrefix(path, "horizon.") || strings.HasPrefix(path, "workload.") {
			varied = append(varied, i)
		}
	}
	// Each pod of a sweep estimates all simulations of all pods.
	known := map[string]float64{}
	return func(t *Trial) float64 {
		seconds := base
		if len(varied) > 0 {
			var key strings.Builder
			for _, i := range varied {
				key.WriteString(t.Point.Values[i].Value)
				key.WriteByte(0)
			}
			var is bool
			if seconds, is = known[key.String()]; !is {
				seconds = p.secondsAt(t.Point, base)
				known[key.String()] = seconds
			}
		}
		return setupSeconds + float64(seconds*t.Share)
	}
}

// secondsAt is what the requests of a point take; base where its values do not go together.
func (p *Plan) secondsAt(point Point, base float64) float64 {
	scenario, err := p.ScenarioAt(point, 1)
	if err != nil {
		return base
	}
	return EstimatedSeconds(setup.DecodeScenario(Tree{"horizon": scenario["horizon"], "workload": scenario["workload"]}))
}

// EstimatedSeconds is what the requests of a scenario take, by its horizon and its workload; of none where it
// does not decode, which whoever simulates it reports.
func EstimatedSeconds(in *v1alpha1.Scenario, err error) float64 {
	if err != nil {
		return 0
	}
	rate, output := 0.0, 0.0
	for i := range in.Workload.Clients {
		client := &in.Workload.Clients[i]
		r := meanRate(client)
		rate += r
		output += float64(r * outputTokens(client))
	}
	if rate == 0 || len(setup.Traces(&in.Workload, nil)) > 0 {
		rate, output = rate+unknownRate, output+unknownRate*unknownOutput
	}
	requests := rate * duration(&in.Horizon).Seconds()
	if in.Horizon.Requests != nil {
		requests = float64(*in.Horizon.Requests)
	}
	if in.Horizon.WarmupRule != "" {
		requests *= 2 // once to find the warm-up, once to measure
	}
	return requests * (requestSeconds + float64(outputSeconds*output/rate))
}

// meanRate is a client's requests a second; over all of its stages, if it has
// some. Sessions that arrivals begin send their turns with the mean rate of their
// beginnings, times the turns.
func meanRate(client *v1alpha1.Client) float64 {
	if client.ClosedLoop != nil {
		return loopRate(client)
	}
	turns := 1.0
	if s := client.Sessions; s != nil && s.ThinkTime != nil {
		turns = max(1, s.Turns.Mean.Float()) * requestsOfTurn(s)
	}
	return turns * arrivalRate(client)
}

// requestsOfTurn is about how many requests a turn has, with its branches and its calls of
// tools.
func requestsOfTurn(s *v1alpha1.Sessions) float64 {
	requests := 1.0
	if b := s.Branches; b != nil {
		requests += float64(share(b.Probability) * (max(1, b.Count.Mean.Float()) - 1))
	}
	if t := s.Tools; t != nil {
		requests += float64(share(t.Probability) * max(1, t.Calls.Mean.Float()))
	}
	return requests
}

// share is a probability, which is 1 where none is set.
func share(p v1alpha1.PositiveDecimal) float64 {
	if p == "" {
		return 1
	}
	return p.Float()
}

// loopRate is about what the users of a closed loop send in a second, where an answer
// takes loopTTFT and loopTPOT for each of its tokens.
func loopRate(client *v1alpha1.Client) float64 {
	l, copies := client.ClosedLoop, 1.0
	if client.Copies != nil {
		copies = float64(client.Copies.Count)
	}
	cycle := loopTTFT + outputTokens(client)*loopTPOT
	if l.ThinkTime != nil && l.ThinkTime.Mean != nil {
		cycle += l.ThinkTime.Mean.Duration().Seconds()
	}
	return copies * float64(l.Concurrency) / cycle
}

func arrivalRate(client *v1alpha1.Client) float64 {
	stages := client.Arrivals.Stages
	if len(stages) == 0 {
		return client.Arrivals.Rate.Float()
	}
	requests, seconds := 0.0, 0.0
	for _, stage := range stages {
		length := stage.Duration.Duration().Seconds()
		rate := stage.Rate.Float()
		if stage.RampTo != "" {
			rate = 0.5 * (rate + stage.RampTo.Float())
		}
		requests += float64(rate * length)
		seconds += length
	}
	return requests / max(seconds, 1)
}

func outputTokens(client *v1alpha1.Client) float64 {
	reasoning := 0.0
	if r := client.Reasoning; r != nil {
		reasoning = float64(r.Steps.Mean.Float() * r.TokensPerStep.Mean.Float())
	}
	if mean := client.OutputTokens.Mean.Float(); mean > 0 {
		return reasoning + mean
	}
	return reasoning + unknownOutput
}

func duration(h *v1alpha1.Horizon) time.Duration {
	if h.Duration == "" {
		return unknownDuration
	}
	return h.Duration.Duration()
}
