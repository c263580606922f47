// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

// question is a load and how long it is looked at.
type question struct {
	load *load
	// tooMuch a second is more than is ever served.
	tooMuch float64
	half    time.Duration
}

// scale is what is asked.
type scale struct {
	law, engine []question
	// contests are of loads whose rate is where the queue begins to grow.
	contests []struct {
		question
		contest
	}
	processes []process
	seeds     int
}

var (
	lawShares     = []float64{0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3}
	engineShares  = []float64{0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3}
	contestShares = []float64{0.9, 1.05}
)

const azureLengths = "Azure code, lengths"

// fullScale is what the page is of.
func fullScale(t traces) scale {
	short, long := constant(512, 128), constant(256, 2048)
	azure := t.azure.lengthsOnly(azureLengths)
	mooncake := t.mooncake.lengthsOnly("Mooncake conversation, lengths")
	s := scale{
		law: []question{
			{short, 0, 4 * time.Minute}, {azure, 0, 4 * time.Minute}, {mooncake, 0, time.Hour},
		},
		engine: []question{
			{short, 80, 5 * time.Minute}, {long, 8, 10 * time.Minute}, {azure, 40, 5 * time.Minute},
			{mooncake, 2, 45 * time.Minute}, {t.mooncake, 2, 45 * time.Minute},
		},
		processes: append(poissonProcesses(), t.azure.recorded(), t.mooncake.recorded()),
		seeds:     8,
	}
	s.add(s.engine[0], target(2*time.Second, 100*time.Millisecond), 10*time.Minute)
	s.add(s.engine[1], target(2*time.Second, 100*time.Millisecond), 20*time.Minute)
	s.add(question{sharedPrefixes(400), 80, 5 * time.Minute}, target(2*time.Second, 100*time.Millisecond), 10*time.Minute)
	s.add(s.engine[2], target(2*time.Second, 200*time.Millisecond), 10*time.Minute)
	s.add(s.engine[3], target(10*time.Second, 100*time.Millisecond), time.Hour)
	s.add(s.engine[4], target(10*time.Second, 100*time.Millisecond), time.Hour)
	return s
}

func (s *scale) add(q question, t simulator.Target, length time.Duration) {
	s.contests = append(s.contests, struct {
		question
		contest
	}{q, contest{load: q.load, target: t, length: length}})
}

func target(ttft, tpot time.Duration) simulator.Target {
	return simulator.Target{TTFT: ttft, TPOT: tpot}
}

// findings are the answers.
type findings struct {
	law, engine []sweep
	contests    []outcome
	estimates   []estimate
	seeds       int
}

// sweep is a load from below the rate at which its queue begins to grow to
// above it.
type sweep struct {
	load *load
	// unit is the rate that shares are of: μ of the law, or begins.
	unit   float64
	begins float64 // requests a second
	shares []float64
	trials []trial
	full   trial
}

// outcome is one contest.
type outcome struct {
	contest
	scores []score
}

func find(s scale) (*findings, error) {
	f := &findings{law: make([]sweep, len(s.law)), engine: make([]sweep, len(s.engine)), seeds: s.seeds}
	engine, err := enginePool()
	if err != nil {
		return nil, err
	}
	err = study.ForEach(len(s.law)+len(s.engine), func(i int) (err error) {
		if i < len(s.law) {
			f.law[i], err = sweepLaw(s.law[i])
			return err
		}
		i -= len(s.law)
		f.engine[i], err = sweepEngine(engine, s.engine[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, c := range s.contests {
		o := outcome{contest: c.contest}
		if o.perSecond, err = f.boundaryOf(engine, c.question); err != nil {
			return nil, err
		}
		if o.scores, err = o.play(engine, contestShares, s.seeds); err != nil {
			return nil, err
		}
		f.contests = append(f.contests, o)
	}
	for _, p := range s.processes {
		f.estimates = append(f.estimates, p.estimate())
	}
	return f, nil
}

// boundaryOf is where the queue begins to grow in the engine.
func (f *findings) boundaryOf(engine simulator.Pool, q question) (float64, error) {
	for _, s := range f.engine {
		if s.load == q.load {
			return s.begins, nil
		}
	}
	_, perSecond, err := boundary(engine, q)
	return perSecond, err
}

// sweepLaw takes μ = M/(b̄·E[g]) for the unit.
func sweepLaw(q question) (sweep, error) {
	s := sweep{load: q.load, shares: lawShares, unit: q.load.served(lawStep.Seconds())}
	q.tooMuch = 1.3 * s.unit
	return s.fill(lawPool(), q)
}

// sweepEngine takes for the unit where the queue begins to grow.
func sweepEngine(engine simulator.Pool, q question) (sweep, error) {
	return sweep{load: q.load, shares: engineShares}.fill(engine, q)
}

func (s sweep) fill(p simulator.Pool, q question) (sweep, error) {
	var err error
	if s.full, s.begins, err = boundary(p, q); err != nil {
		return s, err
	}
	if s.unit == 0 {
		s.unit = s.begins
	}
	for _, share := range s.shares {
		t, err := observe(p, q.load, share*s.unit, q.half, 1)
		if err != nil {
			return s, err
		}
		s.trials = append(s.trials, t)
	}
	return s, nil
}

// at returns the trial at a share.
func (s sweep) at(share float64) trial {
	for i := range s.shares {
		if s.shares[i] == share {
			return s.trials[i]
		}
	}
	panic("stability: no trial at that share")
}

// of returns the score of a contender at a share.
func (o outcome) of(contender string, share float64) score {
	for _, s := range o.scores {
		if s.contender == contender && s.share == share {
			return s
		}
	}
	panic("stability: no such contender")
}

// poissonProcesses have some arrivals in a window, few and many.
func poissonProcesses() []process {
	var all []process
	for _, inWindow := range []float64{0.6, 1.2, 3, 6, 60} {
		all = append(all, poissonProcess(inWindow, stats.NewStream(1, "process")))
	}
	return all
}
