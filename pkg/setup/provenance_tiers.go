// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// apiName returns what the API calls one of the engine's values.
func apiName[N ~string, V comparable](names map[N]V, value V) N {
	for name, v := range names {
		if v == value && name != "" {
			return name
		}
	}
	return ""
}

func evictionNote(order kv.Order) string {
	if order == kv.LRU {
		return ""
	}
	return string(apiName(evictions, order))
}

func tierProvenance(tiers []simulator.Tier) []result.TierProvenance {
	var all []result.TierProvenance
	for _, t := range tiers {
		all = append(all, result.TierProvenance{
			Kind:                t.Kind.String(),
			Blocks:              t.Blocks,
			Shared:              t.Shared,
			Eviction:            evictionNote(t.Eviction),
			ReadBytesPerSecond:  t.Read.BytesPerSecond,
			WriteBytesPerSecond: t.Write.BytesPerSecond,
			LatencySeconds:      t.Read.Latency.Seconds(),
		})
	}
	return all
}

func stabilityProvenance(s *simulator.Stability) *result.StabilityProvenance {
	if s == nil {
		return nil
	}
	return &result.StabilityProvenance{
		Controller: string(apiName(stabilityForms, s.Form)),
		Evicts:     s.Evict,
		Admission:  string(apiName(stabilityAdmissions, s.Admission)),
	}
}

func handoffProvenance(h *simulator.Handoff) *result.HandoffProvenance {
	if *h == (simulator.Handoff{}) {
		return nil
	}
	return &result.HandoffProvenance{
		BytesPerSecond: h.Egress.BytesPerSecond,
		LatencySeconds: h.Egress.Latency.Seconds(),
		Granularity:    string(apiName(granularities, h.Granularity)),
		StartShare:     h.StartShare,
		SingleOwner:    h.SingleOwner,
		MaxPending:     h.MaxPending,
	}
}
