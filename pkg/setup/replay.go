// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func buildReplay(in Trace, recorded *trace.Trace, alone bool, seed int64) (workload.Listener, field.ErrorList) {
	replay := trace.Replay{
		RateScale: in.RateScale.Float(),
		Arrivals:  trace.Arrivals(in.Arrivals),
		Loop:      trace.Loop(in.Loop),
		Alone:     alone,

		Concurrent: int(in.ConcurrentSessions),
		Client:     in.Name,
		Tenant:     in.Tenant,
		Class:      in.Class,
		Priority:   int(in.Priority),
	}
	replay.FirstTokenTimeout, replay.Timeout = buildTimeout(in.Timeout)
	errs := replay.Validate(in.Path)
	if in.Loop != "" {
		errs = append(errs, validateLoop(in, recorded)...)
	}
	if in.ConcurrentSessions > 0 && recorded != nil && !recorded.AnswersEnds() {
		errs = append(errs, field.Forbidden(in.Path.Child("concurrentSessions"), "no request of the trace waits for an answer: its sessions begin and go on as recorded"))
	}
	if len(errs) > 0 || recorded == nil {
		return nil, errs
	}
	return recorded.Replay(replay, seed), nil
}

// validateLoop says why a trace cannot begin again. Nothing is known of a trace that only
// pods can read.
func validateLoop(in Trace, recorded *trace.Trace) field.ErrorList {
	path := in.Path.Child("loop")
	switch {
	case in.Format == v1alpha1.ServeGenTrace:
		return field.ErrorList{field.Forbidden(path, "may not be set for the format ServeGen, which has no rows")}
	case recorded != nil && recorded.Requests() > 0 && recorded.Period() == 0:
		return field.ErrorList{field.Invalid(path, in.Loop, "needs a trace with two timestamps or more: the time between them tells when the trace begins again")}
	}
	return nil
}
