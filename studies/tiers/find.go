// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/studies/study"
)

// scale is the capacities that are tried, in blocks: those of one cache have 512
// tokens, those of the cluster 16, and a replica has this number of each but for the
// storage, which is one for all.
type scale struct {
	gpu, clusterGPU            []int
	cpu, storage               int
	clusterCPU, clusterStorage int
	policyGPU                  int
}

// fullScale is that of the page. The smallest holds the longest request and its
// answer. An H100 has room for some 26 000 blocks of 16 tokens.
func fullScale() scale {
	return scale{
		gpu: doubling(256, 1<<18), clusterGPU: doubling(8192, 1<<21),
		cpu: 8192, storage: 65536,
		clusterCPU: 65536, clusterStorage: 1 << 23,
		policyGPU: 26000,
	}
}

func doubling(from, to int) []int {
	var all []int
	for n := from; n <= to; n *= 2 {
		all = append(all, n)
	}
	return all
}

// findings are what the page says.
type findings struct {
	scale scale
	trace trace.Statistics
	// one and cluster are by capacity of the GPU, then as ones and levels name
	// what is below it.
	one     [][len(ones)]hits
	cluster [][len(levels)]hits
	// policies are by offload policy, then with host memory, and with storage.
	policies [len(offloads)][2]hits
	// affine is the largest cluster without tiers and with routing by prefix
	// alone, remembered the smallest one with host memory and a router that
	// forgets nothing.
	affine, remembered hits
}

// levels are what is below the GPU.
var levels = [...]string{"GPU alone", "with CPU", "with CPU and storage"}

// ones are what is below the GPU of the one cache, and how blocks get there.
var ones = [...]struct {
	level   int
	offload simulator.OffloadPolicy
	name    string
}{
	{0, simulator.OffloadEager, "GPU alone"},
	{1, simulator.OffloadEager, "CPU, eager"}, {1, simulator.OffloadLazy, "CPU, lazy"},
	{2, simulator.OffloadEager, "CPU and storage, eager"}, {2, simulator.OffloadLazy, "CPU and storage, lazy"},
}

// offloads are the policies, by their names.
var offloads = [...]struct {
	name   string
	policy simulator.OffloadPolicy
}{
	{"eager", simulator.OffloadEager}, {"lazy", simulator.OffloadLazy}, {"threshold", simulator.OffloadThreshold},
}

// find runs all simulations.
func find(recorded *trace.Trace, s scale) (*findings, error) {
	statistics, err := recorded.Statistics()
	if err != nil {
		return nil, err
	}
	f := &findings{
		scale: s, trace: statistics,
		one: make([][len(ones)]hits, len(s.gpu)), cluster: make([][len(levels)]hits, len(s.clusterGPU)),
	}
	d, err := realDevices()
	if err != nil {
		return nil, err
	}
	type task struct {
		to     *hits
		config func() (simulator.Config, error)
	}
	var tasks []task
	single := func(to *hits, at setup) {
		tasks = append(tasks, task{to, func() (simulator.Config, error) { return oneCache(recorded, at), nil }})
	}
	several := func(to *hits, at setup, how routing) {
		tasks = append(tasks, task{to, func() (simulator.Config, error) { return onCluster(recorded, at, d, how, 1) }})
	}
	for i, gpu := range s.gpu {
		for k, one := range ones {
			at := below(gpu, one.level, s.cpu, s.storage)
			at.offload = one.offload
			single(&f.one[i][k], at)
		}
	}
	for i, gpu := range s.clusterGPU {
		for level := range levels {
			several(&f.cluster[i][level], below(gpu, level, s.clusterCPU, s.clusterStorage), byDefault)
		}
	}
	for i, o := range offloads {
		for tiers := range f.policies[i] {
			at := below(s.policyGPU, 1+tiers, s.clusterCPU, s.clusterStorage)
			at.offload = o.policy
			several(&f.policies[i][tiers], at, byDefault)
		}
	}
	several(&f.affine, setup{gpu: s.clusterGPU[len(s.clusterGPU)-1]}, byPrefix)
	several(&f.remembered, below(s.clusterGPU[0], 1, s.clusterCPU, s.clusterStorage), byLongMemory)
	return f, study.ForEach(len(tasks), func(i int) error {
		config, err := tasks[i].config()
		if err != nil {
			return err
		}
		if *tasks[i].to, err = simulate(config, f.trace.ReusableShare); err != nil {
			return fmt.Errorf("%d blocks: %w", config.Pools[0].KVBlocks, err)
		}
		return nil
	})
}

// below returns the caches of a level.
func below(gpu, level, cpu, storage int) setup {
	s := setup{gpu: gpu}
	if level > 0 {
		s.cpu = cpu
	}
	if level > 1 {
		s.storage = storage
	}
	return s
}
