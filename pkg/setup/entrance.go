// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/admission"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An explaining router tells of its decisions.
type explaining interface {
	Explain(tell func(*scheduler.Explanation))
}

// An entrance is a router with the policies before it, all of which explain what they
// say: a decision of the router begins with what they said of the request, and one that
// the admission rejects has a decision of its own.
type entrance struct {
	policy.Router
	admission policy.Admission
	priority  policy.Priority
	// admissionName and priorityName are the names of the policies, with the admission's config.
	admissionName, priorityName string
	config                      *admission.Config
	live                        bool

	tell func(*scheduler.Explanation) // nil while no caller asks
	// answer receives each answer while a caller asks; nil if answers are not needed.
	answer func(scheduler.GatewayAnswer)
	// open are the stories of requests that no decision has told yet.
	open map[int]*scheduler.Explanation
}

// newEntrance puts the policies that the user states before a router, which explains itself.
// An adapter of weights that stands where an admission would is none of these.
func newEntrance(in *v1alpha1.Router, g *gatewayPolicies, p *policy.Policies) {
	admission, priority := gatewayNames(in, g)
	if admission == "" && priority == "" {
		return
	}
	e := &entrance{
		Router: p.Routing.Router, admission: p.Admission, priority: p.Priority, config: g.admission,
		live: in.Signals == v1alpha1.OracleSignals, open: map[int]*scheduler.Explanation{},
	}
	if admission != "" {
		e.admissionName, p.Admission = admission, e
	}
	if priority != "" {
		e.priorityName, p.Priority = priority, e
	}
	p.Routing.Router = e
}

// Idle implements [policy.Idler].
func (e *entrance) Idle() []string {
	if router, ok := e.Router.(policy.Idler); ok {
		return router.Idle()
	}
	return nil
}

// FullIndexes implements [policy.PrefixIndexer].
func (e *entrance) FullIndexes() []int {
	if router, ok := e.Router.(policy.PrefixIndexer); ok {
		return router.FullIndexes()
	}
	return nil
}

// Explain has each decision from now on explained; nil ends that, and tells of the
// requests that the admission still delays, in their order.
func (e *entrance) Explain(tell func(*scheduler.Explanation)) {
	router := e.Router.(explaining)
	if tell == nil {
		router.Explain(nil)
		e.tellOfDelayed()
		e.tell = nil
		return
	}
	e.tell = tell
	router.Explain(func(x *scheduler.Explanation) {
		if before := e.open[x.Request.ID]; before != nil {
			x.Priority, x.Verdicts, x.Asked = before.Priority, before.Verdicts, before.Asked
			delete(e.open, x.Request.ID)
		}
		tell(x)
	})
}

// Answer has each answer of the policies told that the entrance explains; nil ends that.
func (e *entrance) Answer(tell func(scheduler.GatewayAnswer)) { e.answer = tell }

// Force implements [policy.Forcible].
func (e *entrance) Force(force policy.Force) { e.Router.(policy.Forcible).Force(force) }

func (e *entrance) tellOfDelayed() {
	for _, id := range slices.Sorted(maps.Keys(e.open)) {
		if last := e.open[id].LastVerdict(); last != nil && last.Verdict == scheduler.Delayed {
			e.tell(e.open[id])
		}
	}
	clear(e.open)
}

// Prioritize implements [policy.Priority].
func (e *entrance) Prioritize(view *policy.View, request *policy.Request) (int, policy.Hints) {
	value, hints := e.priority.Prioritize(view, request)
	if e.tell != nil {
		answer := &scheduler.PriorityAnswer{Policy: e.priorityName, Stated: request.Priority, Value: value}
		e.about(view, request).Priority = answer
		e.answered(view, request, scheduler.GatewayAnswer{Priority: answer})
	}
	return value, hints
}

// Admit implements [policy.Admission].
func (e *entrance) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if e.tell == nil {
		return e.admission.Admit(view, request)
	}
	answer := e.seen(view, request)
	verdict := e.admission.Admit(view, request)
	answer.Verdict = scheduler.Admitted
	switch {
	case verdict.Rejection != nil:
		answer.Verdict, answer.Reason = scheduler.Rejected, strings.TrimSuffix(verdict.Rejection.Error(), ": "+policy.ErrNoEndpoint.Error())
	case verdict.Until != 0:
		answer.Verdict, answer.UntilSeconds = scheduler.Delayed, verdict.Until.Seconds()
	}
	e.answered(view, request, scheduler.GatewayAnswer{Admission: &answer})
	x := e.about(view, request)
	x.AddVerdict(answer)
	x.AtSeconds, x.Request, x.Endpoints = view.Now.Seconds(), explainedRequest(request), endpointSignals(view)
	if verdict.Rejection != nil {
		x.Error = answer.Reason
		delete(e.open, request.ID)
		e.tell(x)
	}
	return verdict
}

// answered tells of an answer.
func (e *entrance) answered(view *policy.View, request *policy.Request, a scheduler.GatewayAnswer) {
	if e.answer != nil {
		a.AtSeconds, a.Request = view.Now.Seconds(), explainedRequest(request)
		e.answer(a)
	}
}

// about is the story of a request so far.
func (e *entrance) about(view *policy.View, request *policy.Request) *scheduler.Explanation {
	x := e.open[request.ID]
	if x == nil {
		x = &scheduler.Explanation{AtSeconds: view.Now.Seconds(), Request: explainedRequest(request)}
		e.open[request.ID] = x
	}
	return x
}

// seen is what the admission is about to look at.
func (e *entrance) seen(view *policy.View, request *policy.Request) scheduler.AdmissionAnswer {
	answer := scheduler.AdmissionAnswer{Policy: e.admissionName, AtSeconds: view.Now.Seconds()}
	if level, looks := e.saturation(view); looks {
		answer.Saturation = &scheduler.SaturationSignal{Level: scheduler.Number(level), Freshness: e.freshness(view)}
	}
	if t := view.Traffic; t != nil {
		f := &t.Tenants[request.Tenant]
		answer.Tenant = &scheduler.FlowSignal{
			Freshness: "the gateway's own counts, without delay",
			Arrived:   f.Arrived, Admitted: f.Admitted, Rejected: f.Rejected,
			Delayed: f.Delayed, InFlight: f.InFlight, InFlightTokens: f.InFlightTokens,
			ArrivalRate: scheduler.Number(f.ArrivalRate(view.Now)),
		}
	}
	return answer
}

// saturation is what the admission is about to look at; looks is false where it does not.
func (e *entrance) saturation(view *policy.View) (level float64, looks bool) {
	if e.config == nil {
		return 0, false
	}
	return e.config.Saturation(view)
}

// gatewayNames are the names of the admission and of the priority; empty without one.
func gatewayNames(in *v1alpha1.Router, g *gatewayPolicies) (admission, priority string) {
	switch {
	case in.Admission != nil:
		admission = in.Admission.Policy
	case g.admission != nil || g.admissionProgram != nil:
		admission = bundlePolicy
	}
	switch {
	case in.Priority != nil:
		priority = in.Priority.Policy
	case g.priority != nil || g.priorityProgram != nil:
		priority = bundlePolicy
	}
	return admission, priority
}

// freshness says how old the metrics of a view are.
func (e *entrance) freshness(view *policy.View) string {
	if e.live {
		return "metrics as of now"
	}
	oldest := view.Now
	for i := range view.Scrapes {
		if view.Down == nil || !view.Down[i] {
			oldest = min(oldest, view.Scrapes[i].At)
		}
	}
	return fmt.Sprintf("metrics up to %v old", roundedAge(view.Now, oldest))
}

// roundedAge is an age to a tenth of a millisecond.
func roundedAge(now, then simtime.Time) time.Duration {
	return now.Sub(then).Round(100 * time.Microsecond)
}
