// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// What the API calls by name. Eviction and offloading that are not named are
// the first of their kinds.
var (
	evictions = map[v1alpha1.Eviction]kv.Order{
		v1alpha1.LRUEviction:      kv.LRU,
		v1alpha1.LFUEviction:      kv.LFU,
		v1alpha1.PriorityEviction: kv.Priority,
	}
	tierKinds = map[v1alpha1.TierKind]simulator.TierKind{
		v1alpha1.CPUTier:     simulator.CPUTier,
		v1alpha1.StorageTier: simulator.StorageTier,
	}
	offloadPolicies = map[v1alpha1.OffloadPolicy]simulator.OffloadPolicy{
		v1alpha1.EagerOffload:     simulator.OffloadEager,
		v1alpha1.LazyOffload:      simulator.OffloadLazy,
		v1alpha1.ThresholdOffload: simulator.OffloadThreshold,
	}
)

// buildTiers makes what lies below a pool's GPU memory; nothing where the
// scenario names no tiers. Each of a replica's GPUs has a link of its own.
func buildTiers(in *v1alpha1.KVCache, gpus int, blockBytes int64, path *field.Path) (simulator.Tiers, field.ErrorList) {
	if len(in.Tiers) == 0 {
		return simulator.Tiers{}, nil
	}
	out := simulator.Tiers{Offload: buildOffload(in.Offload)}
	var errs field.ErrorList
	out.ToHost, out.ToGPU, errs = buildLink(in.Link, defaultLink, gpus, path.Child("link"))
	for i := range in.Tiers {
		tier, es := buildTier(&in.Tiers[i], blockBytes, path.Child("tiers").Index(i))
		out.Lower = append(out.Lower, tier)
		errs = append(errs, es...)
	}
	slices.SortFunc(out.Lower, func(a, b simulator.Tier) int { return cmp.Compare(a.Kind, b.Kind) })
	return out, errs
}

func buildTier(in *v1alpha1.Tier, blockBytes int64, path *field.Path) (simulator.Tier, field.ErrorList) {
	name := in.Device
	if name == "" && in.Kind == v1alpha1.CPUTier {
		name = defaultCPUDevice
	}
	device, errs := findDevice(name, false, path)
	if len(errs) > 0 {
		return simulator.Tier{}, errs
	}
	device = buildDevice(device, in.ReadBytesPerSecond, in.WriteBytesPerSecond, in.Latency)
	_, errs = bandwidth(device.ReadBytesPerSecond, 1, path.Child("readBytesPerSecond"))
	_, es := bandwidth(device.WriteBytesPerSecond, 1, path.Child("writeBytesPerSecond"))
	errs = append(errs, es...)
	blocks, es := tierBlocks(in, blockBytes, path)
	return simulator.Tier{
		Kind:     tierKinds[in.Kind],
		Blocks:   blocks,
		Read:     device.Read(),
		Write:    device.Write(),
		Shared:   in.Sharing == v1alpha1.PoolSharing,
		Eviction: evictions[in.Eviction],
	}, append(errs, es...)
}

// maxTierBlocks bounds the blocks of a tier.
const maxTierBlocks = 1_000_000_000

func tierBlocks(in *v1alpha1.Tier, blockBytes int64, path *field.Path) (int, field.ErrorList) {
	if in.Blocks != nil {
		return int(*in.Blocks), nil
	}
	blocks := in.Capacity.Int64() / blockBytes
	switch at := path.Child("capacity"); {
	case blocks < 1:
		return 0, field.ErrorList{field.Invalid(at, in.Capacity, fmt.Sprintf("is less than one KV block, which has %d bytes", blockBytes))}
	case blocks > maxTierBlocks:
		return 0, field.ErrorList{field.Invalid(at, in.Capacity, fmt.Sprintf("holds %d KV blocks; at most %d are allowed", blocks, maxTierBlocks))}
	default:
		return int(blocks), nil
	}
}

// buildOffload takes the schema's defaults where nothing is said.
func buildOffload(in *v1alpha1.Offload) simulator.Offload {
	out := simulator.Offload{Policy: simulator.OffloadEager, Threshold: 0.95, ThrashWindow: 10 * time.Second}
	if in == nil {
		return out
	}
	out.Policy = offloadPolicies[in.Policy]
	if in.Threshold != "" {
		out.Threshold = in.Threshold.Float()
	}
	if in.ThrashWindow != "" {
		out.ThrashWindow = in.ThrashWindow.Duration()
	}
	return out
}
