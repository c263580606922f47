// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomTiers puts tiny tiers below most pools.
func randomTiers(c *choices, config *simulator.Config) {
	for i := range config.Pools {
		p := &config.Pools[i]
		p.BlockBytes = int64(1 + c.pick(8))
		if c.pick(8) == 0 {
			continue
		}
		p.PrefixCaching = c.pick(16) > 0
		p.Eviction = kv.Order(c.pick(3))
		p.Tiers = simulator.Tiers{ToHost: randomStation(c), ToGPU: randomStation(c), Offload: randomOffload(c)}
		kinds := [][]simulator.TierKind{{simulator.CPUTier}, {simulator.CPUTier}, {simulator.StorageTier}, {simulator.CPUTier, simulator.StorageTier}, {simulator.CPUTier, simulator.StorageTier}}[c.pick(5)]
		for _, kind := range kinds {
			p.Tiers.Lower = append(p.Tiers.Lower, simulator.Tier{
				Kind: kind, Blocks: 1 + c.pick(40), Read: randomStation(c), Write: randomStation(c),
				Shared: c.pick(3) == 0, Eviction: kv.Order(c.pick(3)),
			})
		}
	}
}

func randomOffload(c *choices) simulator.Offload {
	return simulator.Offload{
		Policy:       simulator.OffloadPolicy(c.pick(3)),
		Threshold:    []float64{0.25, 0.5, 0.75, 0.875}[c.pick(4)],
		ThrashWindow: time.Duration(c.pick(2) * c.pick(60)),
	}
}

// randomStation moves a byte in a third of a nanosecond, at the fastest, or in
// ten.
func randomStation(c *choices) transfer.Station {
	return transfer.Station{
		Latency:        time.Duration(c.pick(2) * c.pick(6)),
		BytesPerSecond: int64(1+c.pick(3)) * int64(time.Second) / int64(1+c.pick(10)),
	}
}

// randomHandoffs lets the router have prompts computed elsewhere.
func randomHandoffs(c *choices, config *simulator.Config) {
	scatterOf(config).splits = true
	blockTokens, blockBytes := 1+c.pick(8), int64(1+c.pick(8))
	for i := range config.Pools {
		config.Pools[i].BlockTokens, config.Pools[i].BlockBytes = blockTokens, blockBytes
		config.Pools[i].Replicas = 1 + c.pick(2)
	}
	config.Handoff = simulator.Handoff{
		Egress: randomStation(c), Ingress: randomStation(c),
		Granularity: simulator.Granularity(c.pick(3)),
		StartShare:  []float64{0, 0.5, 1}[c.pick(3)],
		SingleOwner: c.pick(2) == 0,
		MaxPending:  c.pick(2) * (1 + c.pick(3)),
	}
}

// randomDisruptions lets replicas fail, drain and recover.
func randomDisruptions(c *choices, config *simulator.Config) {
	endpoints := 0
	for i := range config.Pools {
		config.Pools[i].MaxReplicas = max(0, config.Pools[i].Replicas+c.pick(5)-2)
		endpoints += config.Pools[i].Places()
		config.Pools[i].Cost.PerOutputToken = config.Pools[0].Cost.PerOutputToken
	}
	at := simtime.Time(0)
	for range 1 + c.pick(8) {
		at += simtime.Time(c.pick(60))
		config.Disruptions = append(config.Disruptions, simulator.Disruption{
			At: at, Endpoint: c.pick(endpoints), Kind: []simulator.DisruptionKind{simulator.Fail, simulator.Fail, simulator.Drain, simulator.Recover, simulator.Recover}[c.pick(5)],
		})
	}
}
