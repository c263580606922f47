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
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// setup is the caches of a replica, in blocks of its cluster.
type setup struct {
	gpu, cpu, storage int // blocks; 0 is no such tier
	offload           simulator.OffloadPolicy
}

// devices are what KV crosses on its way between tiers.
type devices struct{ link, cpu, storage transfer.Device }

// tiers returns what lies below the GPU. One storage serves all replicas.
func (s setup) tiers(d devices) simulator.Tiers {
	if s.cpu == 0 && s.storage == 0 {
		return simulator.Tiers{}
	}
	t := simulator.Tiers{
		ToHost: d.link.Write(), ToGPU: d.link.Read(),
		Offload: simulator.Offload{Policy: s.offload, Threshold: offloadThreshold, ThrashWindow: thrashWindow},
	}
	if s.cpu > 0 {
		t.Lower = append(t.Lower, simulator.Tier{Kind: simulator.CPUTier, Blocks: s.cpu, Read: d.cpu.Read(), Write: d.cpu.Write()})
	}
	if s.storage > 0 {
		t.Lower = append(t.Lower, simulator.Tier{
			Kind: simulator.StorageTier, Blocks: s.storage, Shared: true, Read: d.storage.Read(), Write: d.storage.Write(),
		})
	}
	return t
}

const (
	offloadThreshold = 0.95
	thrashWindow     = 30 * time.Second
)

// drain lets every request end.
const drain = 24 * time.Hour

// oneCache is a replica that serves one request after the other, each of its
// steps in no time to speak of, over links of which the same is true: what it
// finds cached depends on the order of requests and on capacity alone.
func oneCache(recorded *trace.Trace, s setup) simulator.Config {
	fast := transfer.Device{Name: "fast", ReadBytesPerSecond: transfer.MaxBytesPerSecond, WriteBytesPerSecond: transfer.MaxBytesPerSecond}
	return simulator.Config{
		Pools: []simulator.Pool{{
			Name: "cache", Replicas: 1, Timer: constantStep(10 * time.Microsecond),
			BlockTokens: trace.MooncakeBlockTokens, KVBlocks: s.gpu, PrefixCaching: true,
			MaxNumSeqs: 1, MaxNumBatchedTokens: workload.MaxTokens,
			BlockBytes: trace.MooncakeBlockTokens * kvBytesPerToken,
			Tiers:      s.tiers(devices{fast, fast, fast}),
		}},
		Policies: policy.RoutedBy(only{}),
		Source:   recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Spread}, 1),
		Horizon:  simulator.Horizon{Drain: drain},
	}
}

// constantStep gives every step the same duration.
type constantStep time.Duration

// StepTime implements [latency.StepTimer].
func (d constantStep) StepTime(latency.Step) time.Duration { return time.Duration(d) }

// only sends everything to the first endpoint.
type only struct{}

// Route implements [policy.Router].
func (only) Route(*policy.View, *policy.Request) (policy.Route, error) { return policy.To(0), nil }

// kvBytesPerToken is that of Llama-3.1-8B in bf16: keys and values of 8 heads of
// 128 in 32 layers.
const kvBytesPerToken = 2 * 8 * 128 * 32 * 2

// The cluster: eight replicas with blocks of vLLM's size.
const (
	replicas           = 8
	clusterBlockTokens = 16
)

// realDevices are PCIe 5, host memory and one NVMe drive of the fourth
// generation for each replica, reached by all.
func realDevices() (devices, error) {
	var d devices
	for name, to := range map[string]*transfer.Device{"pcie-gen5-x16": &d.link, "dram": &d.cpu, "nvme-gen4": &d.storage} {
		device, ok := transfer.DeviceByName(name)
		if !ok {
			return d, fmt.Errorf("no device %s", name)
		}
		*to = device
	}
	d.storage.ReadBytesPerSecond *= replicas
	d.storage.WriteBytesPerSecond *= replicas
	return d, nil
}
