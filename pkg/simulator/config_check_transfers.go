// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
)

// checkTiers panics where the rules of Tiers are broken.
func (p *Pool) checkTiers() {
	t := &p.Tiers
	if len(t.Lower) == 0 {
		return
	}
	o := &t.Offload
	switch {
	case p.BlockBytes == 0:
		panic(fmt.Sprintf("simulator: pool %q: tiers for blocks of no bytes", p.Name))
	case !works(t.ToHost) || !works(t.ToGPU):
		panic(fmt.Sprintf("simulator: pool %q: links %+v to the host and %+v back", p.Name, t.ToHost, t.ToGPU))
	case o.Policy < OffloadEager || o.Policy > OffloadThreshold || o.ThrashWindow < 0,
		o.Policy == OffloadThreshold && !(o.Threshold > 0 && o.Threshold < 1):
		panic(fmt.Sprintf("simulator: pool %q: offload %+v", p.Name, *o))
	}
	for k := range t.Lower {
		p.checkTier(k)
	}
}

func (p *Pool) checkTier(k int) {
	t := &p.Tiers.Lower[k]
	switch {
	case t.Kind < CPUTier || t.Kind >= TierKinds:
		panic(fmt.Sprintf("simulator: pool %q: tier kind %d", p.Name, t.Kind))
	case k > 0 && t.Kind <= p.Tiers.Lower[k-1].Kind:
		panic(fmt.Sprintf("simulator: pool %q: tier %v below tier %v", p.Name, t.Kind, p.Tiers.Lower[k-1].Kind))
	case t.Blocks < 1 || p.BlockBytes > math.MaxInt64/int64(t.Blocks):
		panic(fmt.Sprintf("simulator: pool %q: tier %v of %d blocks of %d bytes", p.Name, t.Kind, t.Blocks, p.BlockBytes))
	case !works(t.Read) || !works(t.Write):
		panic(fmt.Sprintf("simulator: pool %q: tier %v reads at %+v and writes at %+v", p.Name, t.Kind, t.Read, t.Write))
	case !known(t.Eviction):
		panic(fmt.Sprintf("simulator: pool %q: tier %v with eviction order %d", p.Name, t.Kind, t.Eviction))
	}
}

// works says that something can cross a station.
func works(s transfer.Station) bool {
	return s.Latency >= 0 && s.BytesPerSecond > 0 && s.BytesPerSecond <= transfer.MaxBytesPerSecond
}

// check panics where the rules of Handoff are broken.
func (h *Handoff) check() {
	if *h == (Handoff{}) {
		return
	}
	switch {
	case !works(h.Egress) || !works(h.Ingress):
		panic(fmt.Sprintf("simulator: hand-over from %+v to %+v", h.Egress, h.Ingress))
	case h.Granularity < GranularityBlock || h.Granularity > GranularityStream || !(h.StartShare >= 0 && h.StartShare <= 1) || h.MaxPending < 0:
		panic(fmt.Sprintf("simulator: hand-over %+v", *h))
	}
}

// checkDisruptions panics where disruptions do not follow each other or concern
// no replica.
func checkDisruptions(all []Disruption, endpoints int) {
	for i, d := range all {
		switch {
		case d.At < 0 || i > 0 && d.At < all[i-1].At:
			panic(fmt.Sprintf("simulator: disruption %d is at %v, out of order", i, d.At))
		case d.Endpoint < 0 || d.Endpoint >= endpoints || d.Kind < Fail || d.Kind > Recover:
			panic(fmt.Sprintf("simulator: disruption %d, of kind %d, is of endpoint %d of %d", i, d.Kind, d.Endpoint, endpoints))
		}
	}
}
