// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// load is the traffic that a cluster serves.
type load struct {
	name   string
	stages []stage
	seeds  []int64
	// repeats says that the load has a period, so that a policy can learn it.
	repeats bool
}

// stage is a rate for a time.
type stage struct {
	perSecond float64
	lasts     time.Duration
}

// halfHours are the requests per second of a day by half hours: the sum over the 73 clients
// of the published deepseek-r1 workload of ServeGen (Apache-2.0), whose windows have 10
// minutes.
var halfHours = []float64{
	17.8, 20.8, 21.7, 22.8, 32.8, 32.4, 29.9, 27.3, 16.9, 17.2, 15.3, 13.8, 12.6, 11.4, 9.6, 8.9,
	9.3, 9.7, 9.8, 11.5, 12.5, 13.5, 13.8, 12.7, 9.3, 5.0, 6.4, 11.0, 11.3, 10.6, 9.1, 13.4,
	17.0, 11.1, 9.0, 8.7, 12.2, 11.8, 9.3, 9.5, 20.6, 19.2, 19.4, 32.6, 40.1, 30.2, 16.9, 20.9,
}

// day is the second half of the day of ServeGen, which has its least and its greatest rate,
// with a multiple of its rates.
func day(factor float64) load {
	l := load{name: "day", seeds: []int64{1}, repeats: true}
	for _, perSecond := range halfHours[len(halfHours)/2:] {
		l.stages = append(l.stages, stage{perSecond * factor, 30 * time.Minute})
	}
	return l
}

// spike is a low rate with a time in its middle at eight times the rate.
func spike() load {
	const low, factor = 5, 8
	return load{name: "spike", seeds: []int64{1, 2, 3}, stages: []stage{
		{low, 20 * time.Minute}, {low * factor, 10 * time.Minute}, {low, 30 * time.Minute},
	}}
}

// length is how long the load lasts.
func (l *load) length() time.Duration {
	sum := time.Duration(0)
	for _, s := range l.stages {
		sum += s.lasts
	}
	return sum
}

// mean and peak are requests per second.
func (l *load) mean() float64 {
	requests := 0.0
	for _, s := range l.stages {
		requests += s.perSecond * s.lasts.Seconds()
	}
	return requests / l.length().Seconds()
}

func (l *load) peak() float64 {
	largest := 0.0
	for _, s := range l.stages {
		largest = max(largest, s.perSecond)
	}
	return largest
}

// arrivals returns the load as one client sends it. rounds is how often it does; a list of
// stages is not long enough for several days, so each round is a client of its own, of which
// only the last one is measured.
func (l *load) arrivals(s *v1alpha1.Scenario, rounds int) {
	client := s.Workload.Clients[0]
	s.Workload.Clients = nil
	for round := range rounds {
		c := *client.DeepCopy()
		c.Name = fmt.Sprintf("%s-%d", client.Name, round+1)
		c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals}
		if round > 0 {
			c.Arrivals.Stages = []v1alpha1.RateStage{{Rate: "0", Duration: duration(time.Duration(round) * l.length())}}
		}
		for _, st := range l.stages {
			c.Arrivals.Stages = append(c.Arrivals.Stages, v1alpha1.RateStage{
				Rate: v1alpha1.NonNegativeDecimal(decimal(st.perSecond)), Duration: duration(st.lasts),
			})
		}
		s.Workload.Clients = append(s.Workload.Clients, c)
	}
	s.Horizon.Duration = duration(time.Duration(rounds) * l.length())
	if rounds > 1 {
		s.Horizon.Warmup = v1alpha1.Duration(duration(time.Duration(rounds-1) * l.length()))
	}
}

func duration(d time.Duration) v1alpha1.PositiveDuration {
	return v1alpha1.PositiveDuration(d.String())
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
