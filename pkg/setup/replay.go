// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func buildReplay(in Trace, recorded *trace.Trace, seed int64) (workload.Listener, field.ErrorList) {
	replay := trace.Replay{
		RateScale: in.RateScale.Float(),
		Arrivals:  trace.Arrivals(in.Arrivals),
		Client:    in.Name,
		Tenant:    in.Tenant,
		Class:     in.Class,
		Priority:  int(in.Priority),
	}
	replay.FirstTokenTimeout, replay.Timeout = buildTimeout(in.Timeout)
	if errs := replay.Validate(in.Path); len(errs) > 0 || recorded == nil {
		return nil, errs
	}
	return recorded.Replay(replay, seed), nil
}
