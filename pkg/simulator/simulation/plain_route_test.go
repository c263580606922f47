// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/big"

	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// plainRoute finds the router and the model of a request by the names of both, rule after rule.
type plainRoute struct {
	config route.Config
	seed   int64
}

func (r plainRoute) Adapters() []string { return r.config.Adapters }

func (r plainRoute) Of(w *workload.Request) (router, adapter int) {
	model, headers := r.config.Models[w.Model], map[string]string(nil)
	if w.Adapter > 0 {
		model = r.config.Adapters[w.Adapter-1]
	}
	if w.Headers > 0 {
		headers = r.config.Headers[w.Headers-1]
	}
	router, adapter = r.config.Only[w.Model], w.Adapter
	for i := range r.config.Rules {
		if r.config.Rules[i].Matches(model, headers) {
			router = r.pick("route", w, r.config.Rules[i].Routers)
			break
		}
	}
	if at := route.FindRewrite(r.config.Rewrites[router], model); at >= 0 {
		adapter = r.pick("rewrite", w, r.config.Rewrites[router][at].Models)
	}
	return router, adapter
}

// pick divides the draws of a stream by weight: the first share has the smallest ones.
func (r plainRoute) pick(stream string, w *workload.Request, shares []route.Share) int {
	draw := stats.Hash64(stats.Hash64(uint64(r.seed), stats.HashString(stream)), uint64(w.Client),
		uint64(w.Origin.Session)<<32|uint64(uint32(w.Origin.Turn)), uint64(w.Origin.Step), uint64(w.Attempt))
	sum := int64(0)
	for _, s := range shares {
		sum += int64(s.Weight)
	}
	place := new(big.Int).Mul(new(big.Int).SetUint64(draw), big.NewInt(sum))
	place.Rsh(place, 64)
	below := int64(0)
	for _, s := range shares {
		if below += int64(s.Weight); place.Int64() < below {
			return s.Index
		}
	}
	panic("no share has a weight")
}
