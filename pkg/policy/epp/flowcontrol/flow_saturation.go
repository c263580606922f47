// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A poolSaturation is how much of its capacity the fuller one of two pools has
// taken, that of the endpoints that prefill and that of those that decode. Which
// one an endpoint is in says its role; without one it decodes, and with both it
// is in both pools. Up to router-v0.10 there is one pool of all endpoints.
type poolSaturation struct {
	detector scheduler.SaturationDetector
	// outside says of the endpoints which are not in a pool, in the order of poolStages; nil where
	// all are in one.
	outside [][]bool
	// gone is memory: of a pool, the endpoints that are outside or down.
	gone []bool
	// stage is that of all endpoints where all are in one pool.
	stage scheduler.Stage
}

// poolStages are the stages that pools serve.
var poolStages = [...]scheduler.Stage{scheduler.PrefillStage, scheduler.DecodeStage}

func newPoolSaturation(b *scheduler.Builder, detector scheduler.SaturationDetector, of version.Release) *poolSaturation {
	s := &poolSaturation{detector: detector, gone: make([]bool, b.Endpoints)}
	if of < version.RouterMain {
		return s
	}
	if b.Labels == nil {
		s.stage = scheduler.DecodeStage
		return s
	}
	prefill, decode := make([]bool, b.Endpoints), make([]bool, b.Endpoints)
	for e := range b.Labels {
		p, d := PoolsOf(b.Labels[e][config.RoleLabel])
		prefill[e], decode[e] = !p, !d
	}
	s.outside = [][]bool{prefill, decode}
	return s
}

// PoolsOf says whether an endpoint of a role prefills and decodes. Roles that no
// filter knows get no requests.
func PoolsOf(role string) (prefills, decodes bool) {
	switch role {
	case "prefill", "encode-prefill":
		return true, false
	case "decode", "":
		return false, true
	case "prefill-decode", "both", "encode-prefill-decode":
		return true, true
	default:
		return false, false
	}
}

func (s *poolSaturation) Saturation(c *scheduler.Cycle) float64 { return s.pools(c).Effective }

// pools are the saturations of both pools, and the higher one. Where endpoints have no roles,
// all of them decode.
func (s *poolSaturation) pools(c *scheduler.Cycle) policy.Saturation {
	var of [2]float64
	some := false
	for i, outside := range s.outside {
		in := s.within(c, outside)
		if in.Stage = poolStages[i]; in.Present > 0 {
			of[i], some = s.detector.Saturation(&in), true
		} else if several, ok := s.detector.(scheduler.DetectorExporter); ok {
			several.Vacate(in.Stage)
		}
	}
	if !some {
		c.Stage = s.stage
		all := s.detector.Saturation(c)
		c.Stage = scheduler.NoStage
		return policy.Saturation{Decode: all, Effective: all}
	}
	return policy.Saturation{Prefill: of[0], Decode: of[1], Effective: max(of[0], of[1])}
}

// within is the cycle as if there were the endpoints of a pool alone.
func (s *poolSaturation) within(c *scheduler.Cycle, outside []bool) scheduler.Cycle {
	in := *c
	in.Down, in.Present = s.gone, 0
	for e := range s.gone {
		s.gone[e] = outside[e] || c.Gone(e)
		if !s.gone[e] {
			in.Present++
		}
	}
	return in
}
