// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// scale is how much is simulated.
type scale struct {
	seeds          []int64
	publishedSeeds int
	// rates are the stated ones, per second, and requests how many arrive at each. steady
	// is how many arrive where the law is to settle.
	rates            []float64
	requests, steady int64
	// shares are those of the measured capacity, and lasting how long a run is there, by
	// latency model.
	models  []v1alpha1.LatencyModel
	shares  []float64
	lasting string
	// capacityRun, rolloutsRun and toolsRun are how long other runs are.
	capacityRun, rolloutsRun, toolsRun string
}

func fullScale() scale {
	return scale{
		seeds: []int64{42, 123, 7777}, publishedSeeds: 40,
		rates: []float64{500, 1000, 1500, 2000}, requests: 2000, steady: 4000,
		models: []v1alpha1.LatencyModel{v1alpha1.LinearModel, v1alpha1.RooflineModel},
		shares: []float64{0.5, 0.8, 0.95, 1.1}, lasting: "20m",
		capacityRun: "60s", rolloutsRun: "60s", toolsRun: "300s",
	}
}

// findings are the answers.
type findings struct {
	samples
	scale
	published       []compared
	publishedRatios []*measured
	// outcomes are those under each of conditions.
	outcomes []*outcome
	// capacities are by model, and long are the configurations at shares of the capacity,
	// by model and share.
	capacities []float64
	long       [][][]*measured
}

// A condition is a latency model and how fresh the metrics are that the gate sees.
type condition struct {
	name string
	edit edit
}

var conditions = []condition{
	{"`linear`, fresh metrics", func(*v1alpha1.Scenario) {}},
	{"`linear`, metrics of 50 ms", func(s *v1alpha1.Scenario) { s.Router.Signals = v1alpha1.ScrapedSignals }},
	{"`roofline`, fresh metrics", under(v1alpha1.RooflineModel)},
}

// outcome is what was measured under a condition.
type outcome struct {
	*findings
	condition
	// stated are the six configurations at the stated rates, by rate.
	stated [][]*measured
	// steadyLaws are the laws at the greatest rate, where they are to settle. gridStated
	// are fixed weights at the stated rates, by rate, and lawsStated the laws.
	steadyLaws             []*measured
	gridStated, lawsStated [][]*measured
	// On the ramp, under changing prefixes and with many prefixes.
	onRamp, onRollouts, onTools []row
}

// row is a configuration and its figures.
type row struct {
	configuration
	*measured
}

func find(ctx context.Context, in samples, s scale, progress io.Writer) (*findings, error) {
	f := &findings{samples: in, scale: s}
	began := time.Now()
	done := func(part string) {
		fmt.Fprintf(progress, "%s: done after %v\n", part, time.Since(began).Round(time.Second))
	}
	if err := f.comparePublished(ctx); err != nil {
		return nil, fmt.Errorf("published figures: %w", err)
	}
	done("published figures")
	for _, c := range conditions {
		o := &outcome{findings: f, condition: c}
		for _, do := range []func(context.Context) error{o.matrixAtStatedRates, o.settle, o.compareWithGrid, o.otherWorkloads} {
			if err := do(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		f.outcomes = append(f.outcomes, o)
		done(c.name)
	}
	for _, model := range f.models {
		if err := f.matrixAtShares(ctx, model); err != nil {
			return nil, fmt.Errorf("shares of the capacity: %w", err)
		}
		done("shares of the capacity, " + string(model))
	}
	return f, nil
}

// each measures configurations on a sample.
func (f *findings) each(ctx context.Context, sample *v1alpha1.SimulationRun, configurations []configuration, edits ...edit) ([]*measured, error) {
	var all []*measured
	for _, c := range configurations {
		m, err := measure(ctx, sample, f.seeds, append([]edit{c.edit}, edits...)...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

func (o *outcome) matrixAtStatedRates(ctx context.Context) error {
	for _, rate := range o.rates {
		m, err := o.each(ctx, o.hot, six, o.edit, atRate(rate), after(o.requests))
		if err != nil {
			return err
		}
		o.stated = append(o.stated, m)
	}
	return nil
}

func (o *outcome) settle(ctx context.Context) (err error) {
	o.steadyLaws, err = o.each(ctx, o.hot, lawsUnderTest, o.edit, atRate(o.rates[len(o.rates)-1]), after(o.steady))
	return err
}

func (o *outcome) compareWithGrid(ctx context.Context) error {
	for _, rate := range o.rates {
		fixed, err := o.each(ctx, o.hot, grid, o.edit, atRate(rate), after(o.requests))
		if err != nil {
			return err
		}
		laws, err := o.each(ctx, o.hot, lawsUnderTest, o.edit, atRate(rate), after(o.requests))
		if err != nil {
			return err
		}
		o.gridStated, o.lawsStated = append(o.gridStated, fixed), append(o.lawsStated, laws)
	}
	return nil
}

func (o *outcome) otherWorkloads(ctx context.Context) error {
	for _, w := range []struct {
		sample         *v1alpha1.SimulationRun
		configurations []configuration
		edits          []edit
		to             *[]row
	}{
		{o.ramp, append(lawsUnderTest[:len(lawsUnderTest):len(lawsUnderTest)], grid...), nil, &o.onRamp},
		{o.rollouts, rolloutConfigurations(), []edit{lasting(o.rolloutsRun)}, &o.onRollouts},
		{o.tools, toolConfigurations(), []edit{lasting(o.toolsRun)}, &o.onTools},
	} {
		m, err := o.each(ctx, w.sample, w.configurations, append(w.edits, o.edit)...)
		if err != nil {
			return err
		}
		for i, c := range w.configurations {
			*w.to = append(*w.to, row{c, m[i]})
		}
	}
	return nil
}

// rolloutConfigurations are fixed weights below and above 1/m, and the step rule under each
// cap.
func rolloutConfigurations() []configuration {
	return []configuration{fixed("1", "1"), fixed("4", "3"), fixed("3", "2"), fixed("5", "2"), step, stepBound, stepFree, pi, literal}
}

// toolConfigurations are fixed weights, and laws from a start in the middle and from one
// where the prefix wins.
func toolConfigurations() []configuration {
	return append(grid[:len(grid):len(grid)],
		driven("step rule from 1:1", "bang-bang", "2", "2", "", explores, "true"),
		driven("step rule from 2:1", "bang-bang", "4", "2", "", explores, "true"),
		driven("multiplicative from 1:1", "multiplicative", "2", "2", "", explores, "true"),
		driven("PI from 1:1", "pi", "2", "2", "", explores, "true"),
		driven("EXP3 from 1:1, epochs of 2 s", "exp3", "2", "2", "", "grid", "1,2,3,4,5", "epochTime", "2s"),
	)
}

func (f *findings) matrixAtShares(ctx context.Context, model v1alpha1.LatencyModel) error {
	rate, err := capacity(ctx, f.hot, &f.scale, model)
	if err != nil {
		return err
	}
	f.capacities = append(f.capacities, rate)
	var byShare [][]*measured
	for _, share := range f.shares {
		m, err := f.each(ctx, f.hot, six, under(model), atRate(share*rate), lasting(f.lasting))
		if err != nil {
			return err
		}
		byShare = append(byShare, m)
	}
	f.long = append(f.long, byShare)
	return nil
}
