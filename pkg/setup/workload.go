// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// buildSource makes the stream of requests for the models that are served. Where a trace
// is missing, because it could not be read, the source is nil.
func buildSource(in *v1alpha1.Workload, served servedModels, traces trace.Set, seed int64, path *field.Path) (workload.Listener, field.ErrorList) {
	var sources []workload.Listener
	clients, retries, errs := buildClients(in.Clients, path.Child("clients"))
	served.label(clients)
	if len(in.Clients) > 0 && len(errs) == 0 {
		sources = append(sources, workload.NewClients(clients, seed))
	}
	errs = append(errs, validateNames(in, path)...)
	missing := false
	alone := len(Traces(in, path)) == 1
	for _, t := range Traces(in, path) {
		recorded := traces[t.Name]
		replay, es := buildReplay(t, recorded, alone, seed)
		errs = append(errs, es...)
		if replay != nil {
			errs = append(errs, served.validateRows(t, recorded, replay.Labels().Models)...)
			replay = workload.WithTenants(workload.WithModels(replay, served.ofRows(t.Model)), statedByTenants(in))
		}
		retry, es := buildRetry(t.Retry, t.Timeout, t.Path.Child("retry"))
		errs = append(errs, es...)
		sources, retries = append(sources, replay), append(retries, retry)
		missing = missing || recorded == nil
	}
	if len(errs) > 0 || missing {
		return nil, errs
	}
	source := workload.Mix(sources...)
	if RetriesRequests(in) {
		source = workload.WithRetries(source, func(client int) *workload.Retry { return retries[client] }, seed)
	}
	return source, nil
}

// validateNames says which traces have the name of a client.
func validateNames(in *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, t := range Traces(in, path) {
		if t.Name != "" && slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Name == t.Name }) {
			errs = append(errs, field.Invalid(t.Path.Child("name"), t.Name, "must differ from the names of all clients"))
		}
	}
	return errs
}

// answersEnds reports whether some requests wait for the ends of others.
func answersEnds(in *v1alpha1.Workload, traces trace.Set) bool {
	return RetriesRequests(in) || anyTrace(in, func(t Trace) bool { return traces[t.Name] != nil && traces[t.Name].AnswersEnds() }) ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool {
			return c.ClosedLoop != nil || c.Sessions != nil && c.Sessions.ThinkTime != nil
		})
}

// anyTrace reports whether something is true of one of the traces.
func anyTrace(in *v1alpha1.Workload, is func(Trace) bool) bool {
	return slices.ContainsFunc(Traces(in, nil), is)
}
