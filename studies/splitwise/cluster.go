// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// The model and the machines, by the names of the catalogue.
const (
	modelName     = "meta-llama/Llama-2-70b-hf"
	gpusAMachine  = 8
	blockTokens   = 16
	maxSequences  = 256
	perDirection  = 25 * time.Microsecond // of a hand-over's base latency
	wholePrompt   = 8192                  // tokens a step that hold any prompt of the workloads
	defaultBudget = 2048                  // tokens a step, as Splitwise's
)

// machine is what all machines of a cluster are.
type machine struct {
	name       string
	table      latency.Table
	kvBlocks   int
	blockBytes int64
}

// newMachine is one with as many KV blocks as fit next to the weights on eight
// GPUs of that kind.
func newMachine(accelerator string, table latency.Table) (machine, error) {
	model, known := latency.Builtin().Model(modelName)
	gpu, ok := latency.Builtin().Accelerator(accelerator)
	if !known || !ok {
		return machine{}, fmt.Errorf("the catalogue has no %s, or no %s", modelName, accelerator)
	}
	i := latency.Instance{Model: model, Accelerator: gpu, TensorParallelism: gpusAMachine}
	blocks, err := i.KVBlocks(blockTokens, i.DefaultMemoryBudget())
	return machine{
		name: accelerator, table: table, kvBlocks: blocks,
		blockBytes: i.KVBytesPerToken() * gpusAMachine * blockTokens,
	}, err
}

// cluster is equal machines: mixed, or split into those that compute prompts and
// those that decode.
type cluster struct {
	machine  machine
	machines int
	// prefill is how many compute prompts for the others; 0 is mixed.
	prefill int
	// budget is the most tokens of a step of machines that compute prompts.
	budget int
	// network is what hands KV over, each direction of a machine.
	network network
}

// network is how KV is handed over.
type network struct {
	bytesPerSecond int64
	granularity    simulator.Granularity
}

func (c cluster) String() string {
	if c.prefill == 0 {
		return fmt.Sprintf("%d mixed, %d tokens a step", c.machines, c.budget)
	}
	return fmt.Sprintf("%d : %d", c.prefill, c.machines-c.prefill)
}

// config is the simulation of a workload on the cluster.
func (c cluster) config(source workload.Source, timer latency.StepTimer) simulator.Config {
	config := simulator.Config{
		Policies: policy.Policies{Routing: newShortestQueue(c.machines, c.prefill).routing()},
		Source:   source,
		Horizon:  simulator.Horizon{Drain: 24 * time.Hour},
	}
	if c.prefill > 0 {
		config.Pools = append(config.Pools, c.pool("prefill", c.prefill, timer))
		link := transfer.Station{Latency: perDirection, BytesPerSecond: c.network.bytesPerSecond}
		config.Handoff = simulator.Handoff{Egress: link, Ingress: link, Granularity: c.network.granularity}
	}
	config.Pools = append(config.Pools, c.pool("serve", c.machines-c.prefill, timer))
	return config
}

func (c cluster) pool(name string, replicas int, timer latency.StepTimer) simulator.Pool {
	return simulator.Pool{
		Name: name, Replicas: replicas, Timer: timer,
		BlockTokens: blockTokens, KVBlocks: c.machine.kvBlocks, BlockBytes: c.machine.blockBytes,
		MaxNumSeqs: maxSequences, MaxNumBatchedTokens: c.budget,
	}
}
