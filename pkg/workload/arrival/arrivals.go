// SPDX-License-Identifier: Apache-2.0

// Package arrival has the random processes that say when the requests of a client arrive.
//
// A process runs in a time of its own, in which it expects one request in each unit: its
// gaps have a mean of 1. Rates map that time to simulated time. So every process takes every
// course of rates, and all rates of a client are pieces of one clock.
package arrival

import "time"

// Process is a random process of arrivals.
type Process string

const (
	// Poisson arrivals have exponential gaps.
	Poisson Process = "Poisson"
	// Constant arrivals have equal gaps.
	Constant Process = "Constant"
	// Gamma arrivals have gamma-distributed gaps of a given CV.
	Gamma Process = "Gamma"
	// Weibull arrivals have Weibull-distributed gaps of a given CV.
	Weibull Process = "Weibull"
	// Pareto arrivals have Pareto-distributed gaps of a given shape.
	Pareto Process = "Pareto"
	// MMPP is a Poisson process whose rate depends on a state that changes at random.
	MMPP Process = "MMPP"
	// Periodic arrivals are at regular times, each of which is moved by a jitter.
	Periodic Process = "Periodic"
)

// Processes are all processes.
func Processes() []Process {
	return []Process{Poisson, Constant, Gamma, Weibull, Pareto, MMPP, Periodic}
}

// Arrivals say when a client's requests come. The first one comes a gap after
// the start.
type Arrivals struct {
	Process Process
	// RatePerSecond is the mean number of requests in a second; 0 where there are
	// Stages.
	RatePerSecond float64
	// Stages are rates that follow each other without a pause. No request comes
	// after the end of the last one.
	Stages []Stage
	// Profile is how RatePerSecond changes in time; nil leaves it constant. It excludes
	// Stages.
	Profile *Profile
	// CV is the coefficient of variation of the gaps of a Gamma or a Weibull process; 1
	// gives Poisson arrivals, more gives bursts. Other processes do not use it.
	CV float64
	// Shape is that of a Pareto process's gaps, above 1. With 2 or less, their variance
	// is infinite.
	Shape float64
	// Jitter is how far a Periodic process moves requests, as a part of the period from 0
	// to 1: request n comes n periods after the start, within half a jitter before or
	// after, each time with the same probability.
	Jitter float64
	// SizeCorrelation is the rank correlation, from -1 to 1, between how dense arrivals are
	// and how long prompts are; 0 is none. The process has bursts.
	SizeCorrelation float64
	// States are those of an MMPP, which takes them in turn. It starts in one of them at
	// random, with a probability proportional to its mean duration.
	States []State
}

// A Stage is a rate for a time.
type Stage struct {
	// RatePerSecond is the mean number of requests in a second; 0 is a pause.
	RatePerSecond float64
	// RampPerSecond is how much the rate has grown at the end of the stage, in a straight
	// line; less than 0 where it falls. RatePerSecond + RampPerSecond is 0 or more.
	RampPerSecond float64
	Duration      time.Duration
}

// A State is one of an MMPP.
type State struct {
	// RateFactor is what the rate is multiplied by. The factors are scaled so that the mean
	// rate is that of the Arrivals.
	RateFactor float64
	// MeanDuration is that of the exponential durations of the state. States do not change
	// while the rate is 0.
	MeanDuration time.Duration
}

// Scaled returns the arrivals at a share of their rate.
func (a Arrivals) Scaled(share float64) Arrivals {
	a.RatePerSecond *= share
	stages := make([]Stage, len(a.Stages))
	for i, s := range a.Stages {
		s.RatePerSecond *= share
		s.RampPerSecond *= share
		stages[i] = s
	}
	if a.Stages != nil {
		a.Stages = stages
	}
	return a
}

// MeanRatePerSecond returns the mean rate over all stages, or the rate without stages.
func (a Arrivals) MeanRatePerSecond() float64 {
	if len(a.Stages) == 0 {
		return a.RatePerSecond
	}
	requests, seconds := 0.0, 0.0
	for _, s := range a.Stages {
		requests += s.expected()
		seconds += s.Duration.Seconds()
	}
	return requests / seconds
}
