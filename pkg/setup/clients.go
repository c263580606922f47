// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// maxClients bounds the clients of a workload, copies included, each of which has a name;
// maxOwnClients bounds those with arrivals of their own, which exist from the start.
const maxClients, maxOwnClients = 100_000, 10_000

// buildClients makes the clients. retries has an entry for each copy. Faults stand where the
// user wrote the client.
func buildClients(in []v1alpha1.Client, path *field.Path) (clients []workload.Client, retries []*workload.Retry, errs field.ErrorList) {
	all, own := 0, 0
	for i := range in {
		client, es := buildClient(&in[i], path.Index(i))
		if len(es) == 0 {
			es = client.Validate(path.Index(i))
		}
		errs = append(errs, es...)
		clients = append(clients, client)
		retry, es := buildRetry(in[i].Retry, in[i].Timeout, path.Index(i).Child("retry"))
		errs = append(errs, es...)
		count := 1
		if client.Copies != nil {
			count = max(0, min(client.Copies.Count, maxClients)) // beyond, the client is invalid
		}
		if all += count; client.ClosedLoop == nil && (client.Copies == nil || client.Copies.SharedArrivals == "") {
			own += count
		}
		retries = append(retries, slices.Repeat([]*workload.Retry{retry}, count)...)
	}
	errs = append(errs, workload.ValidateNames(clients, path)...)
	errs = append(errs, validatePromptsAndSessions(in, path)...)
	errs = append(errs, validateHeaders(in, path)...)
	if all > maxClients {
		errs = append(errs, field.TooMany(path, all, maxClients))
	}
	if own > maxOwnClients {
		errs = append(errs, field.Invalid(path, own, fmt.Sprintf("at most %d clients and copies have arrivals of their own: set copies.arrivals to Random or Cycle", maxOwnClients)))
	}
	return clients, retries, errs
}

// maxPromptsAndSessions bounds the fixed prompts and the sessions at a time of a workload, which
// are kept in memory.
const maxPromptsAndSessions = 1_000_000

// validatePromptsAndSessions says which client has more prompts or sessions than are left for
// it, its copies included.
func validatePromptsAndSessions(in []v1alpha1.Client, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	total := int64(0)
	add := func(n, copies int32, at *field.Path) {
		if total += int64(n) * int64(copies); total > maxPromptsAndSessions && len(errs) == 0 {
			errs = append(errs, field.Invalid(at, n, fmt.Sprintf("all clients and their copies have at most %d prompts, conversations at a time and users; up to here there are %d", maxPromptsAndSessions, total)))
		}
	}
	for i := range in {
		copies := int32(1)
		if in[i].Copies != nil {
			copies = in[i].Copies.Count
		}
		if p := in[i].Prompts; p != nil {
			add(p.Count, copies, path.Index(i).Child("prompts", "count"))
		}
		if s := in[i].Sessions; s != nil {
			if s.Concurrent != nil {
				add(*s.Concurrent, copies, path.Index(i).Child("sessions", "concurrent"))
			}
		}
		if l := in[i].ClosedLoop; l != nil {
			add(l.Concurrency, copies, path.Index(i).Child("closedLoop", "concurrency"))
		}
	}
	return errs
}

func buildCopies(in *v1alpha1.Copies) *workload.Copies {
	if in == nil {
		return nil
	}
	copies := &workload.Copies{
		Count:         int(in.Count),
		ZipfExponent:  in.ZipfExponent.Float(),
		SharedPrefix:  in.Prefixes == v1alpha1.SharedPrefixes,
		SharedAdapter: in.Adapters == v1alpha1.SharedAdapters,
	}
	if in.Arrivals != v1alpha1.OwnArrivals {
		copies.SharedArrivals = workload.Order(in.Arrivals)
	}
	return copies
}

func buildClient(in *v1alpha1.Client, path *field.Path) (workload.Client, field.ErrorList) {
	client := workload.Client{
		Name:     in.Name,
		Copies:   buildCopies(in.Copies),
		Tenant:   in.Tenant,
		Class:    in.Class,
		Priority: int(in.Priority),
		Arrivals: buildArrivals(&in.Arrivals),
		Model:    in.Model,
		Adapter:  in.Adapter,
		Headers:  buildHeaders(in.Headers),
	}
	errs := validateArrivalFields(&in.Arrivals, path.Child("arrivals"))
	errs = append(errs, validateLengthFields(&in.InputTokens, path.Child("inputTokens"))...)
	errs = append(errs, validateLengthFields(&in.OutputTokens, path.Child("outputTokens"))...)
	if len(errs) > 0 {
		return workload.Client{Name: in.Name}, errs
	}
	client.Input, client.Output = buildLengths(in.InputTokens), buildLengths(in.OutputTokens)
	if in.Copies != nil {
		client.LengthCV = in.Copies.LengthCV.Float()
	}
	errs = append(errs, buildPrefix(in.Prefix, &client, path.Child("prefix"))...)
	errs = append(errs, buildReasoning(in.Reasoning, &client, path.Child("reasoning"))...)
	errs = append(errs, buildMedia(in.Media, &client, path.Child("media"))...)
	if p := in.Prompts; p != nil {
		client.Prompts = &workload.Prompts{Count: int(p.Count), Order: workload.Order(p.Order)}
	}
	client.FirstTokenTimeout, client.Timeout = buildTimeout(in.Timeout)
	var es field.ErrorList
	client.Sessions, es = buildSessions(in.Sessions, in.ClosedLoop != nil, path.Child("sessions"))
	errs = append(errs, es...)
	if l := in.ClosedLoop; l != nil {
		client.ClosedLoop = &workload.ClosedLoop{Concurrency: int(l.Concurrency), RampUp: l.RampUp.Duration()}
		if l.ThinkTime != nil {
			client.ClosedLoop.ThinkTime = buildDurations(l.ThinkTime)
		}
		client.ClosedLoop.Turnaround = buildTurnaround(in)
	}
	return client, errs
}

// buildTurnaround is the turnaround of a client's users. Users who think for times that
// vary are out of step.
func buildTurnaround(in *v1alpha1.Client) time.Duration {
	switch {
	case in.ClosedLoop.Turnaround != nil:
		return in.ClosedLoop.Turnaround.Duration()
	case varies(in.ClosedLoop.ThinkTime), in.Sessions != nil && varies(in.Sessions.ThinkTime):
		return 0
	}
	return workload.DefaultTurnaround
}

func varies(in *v1alpha1.Durations) bool {
	return in != nil && in.Distribution != "" && in.Distribution != v1alpha1.ConstantDurations
}
