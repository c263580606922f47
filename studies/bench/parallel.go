// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// measureParallel runs the case's simulations with other seeds, one after the
// other on one core and then on all of them, as a worker does with the points
// of a sweep. Efficiency is the time on one core over cores times that on all.
func (c benchCase) measureParallel(tracePath string) (measurement, error) {
	cores := runtime.NumCPU()
	alone, _, err := c.runAll(tracePath, 1)
	if err != nil {
		return measurement{}, err
	}
	cpu := cpuTime()
	together, m, err := c.runAll(tracePath, cores)
	if err != nil {
		return measurement{}, err
	}
	m.CPU, m.Wall = cpuTime()-cpu, together
	m.PeakBytes = usage().Maxrss * 1024
	m.Efficiency = alone.Seconds() / (float64(cores) * together.Seconds())
	return m, nil
}

// runAll runs all simulations on some cores, as many at a time.
func (c benchCase) runAll(tracePath string, cores int) (time.Duration, measurement, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	configs := make(chan simulator.Config, c.runs)
	for seed := range int64(c.runs) {
		config, err := c.config(tracePath, 1+seed)
		if err != nil {
			return 0, measurement{}, err
		}
		configs <- config
	}
	close(configs)
	runtime.GC()
	start := time.Now()
	parts := make([]measurement, cores)
	errs := make([]error, cores)
	var group sync.WaitGroup
	for i := range cores {
		group.Go(func() {
			for config := range configs {
				o, err := simulation.Run(context.Background(), config)
				if err == nil {
					err = parts[i].describe(o)
				}
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	group.Wait()
	wall := time.Since(start)
	sum := parts[0]
	for _, part := range parts[1:] {
		sum.Requests += part.Requests
	}
	return wall, sum, errors.Join(errs...)
}
