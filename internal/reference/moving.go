// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// blockBytes is a block of 16 tokens of Llama-3.1-8B in 16 bits.
const blockBytes = 16 * 131_072

// Tiered is Untiered with a CPU tier of 200 000 blocks below each replica, to
// which every block is copied as soon as it is computed, and from which prefixes
// are brought back.
func Tiered(requests, replicas int, seed int64) simulator.Config {
	cfg := Untiered(requests, replicas, seed)
	pool := &cfg.Pools[0]
	pool.BlockBytes = blockBytes
	link, memory := device("pcie-gen5-x16"), device("dram")
	pool.Tiers = simulator.Tiers{
		Lower:   []simulator.Tier{{Kind: simulator.CPUTier, Blocks: 200_000, Read: memory.Read(), Write: memory.Write()}},
		ToHost:  link.Read(),
		ToGPU:   link.Write(),
		Offload: simulator.Offload{Policy: simulator.OffloadEager, ThrashWindow: 10 * time.Second},
	}
	return cfg
}

// Untiered is R with 50 clients a replica, whose prefixes take more blocks than
// the 4000 that a GPU has.
func Untiered(requests, replicas int, seed int64) simulator.Config {
	cfg := onReplicas(replicas, seed)
	cfg.Source = workload.NewClients(manyClients(50*replicas, replicas), seed)
	cfg.Horizon.Requests = requests
	cfg.Pools[0].KVBlocks = 4000
	return cfg
}

// Disaggregated is R on a quarter of the replicas that compute prompts and three
// quarters that decode, with hand-overs chunk by chunk over 400 Gbit/s.
func Disaggregated(requests, replicas int, seed int64) simulator.Config {
	cfg := onReplicas(replicas, seed)
	cfg.Source = workload.NewClients(Clients(replicas), seed)
	cfg.Horizon.Requests = requests
	prefill, decode := Pool(replicas/4), Pool(replicas-replicas/4)
	prefill.Name, decode.Name = "prefill", "decode"
	prefill.BlockBytes, decode.BlockBytes = blockBytes, blockBytes
	cfg.Pools = []simulator.Pool{prefill, decode}
	network := device("network-400gbit")
	cfg.Handoff = simulator.Handoff{Egress: network.Read(), Ingress: transfer.Station{BytesPerSecond: network.WriteBytesPerSecond}, Granularity: simulator.GranularityChunk}
	cfg.Policies.Routing = epp.New(pairing(), config.Cluster{Endpoints: replicas, Labels: roles(prefill.Replicas, decode.Replicas)}, seed).Routing()
	return cfg
}

func device(name string) transfer.Device {
	d, ok := transfer.DeviceByName(name)
	if !ok {
		panic("reference: no device " + name)
	}
	return d
}

func roles(prefill, decode int) []map[string]string {
	var labels []map[string]string
	for range prefill {
		labels = append(labels, map[string]string{"llm-d.ai/role": "prefill"})
	}
	for range decode {
		labels = append(labels, map[string]string{"llm-d.ai/role": "decode"})
	}
	return labels
}

// pairing is an EPP's profile that has every prompt computed apart.
func pairing() *config.Config {
	return load(`
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: disagg-profile-handler
  parameters:
    deciders: {prefill: always-disagg-pd-decider}
- type: always-disagg-pd-decider
- type: prefill-filter
- type: decode-filter
- type: prefix-cache-scorer
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: max-score-picker
schedulingProfiles:
- name: prefill
  plugins:
  - {pluginRef: prefill-filter}
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: max-score-picker}
- name: decode
  plugins:
  - {pluginRef: decode-filter}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: max-score-picker}
`)
}
