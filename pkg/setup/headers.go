// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// buildHeaders are the headers of a client's requests; nil without headers.
func buildHeaders(in map[string]v1alpha1.HeaderValue) map[string]string {
	if len(in) == 0 {
		return nil
	}
	headers := map[string]string{}
	for name, value := range in {
		headers[name] = string(value)
	}
	return headers
}

// headerSets are those of all clients, each once, as the workload's labels have
// them.
func headerSets(in *v1alpha1.Workload) []map[string]string {
	var sets []map[string]string
	for i := range in.Clients {
		headers := buildHeaders(in.Clients[i].Headers)
		known := func(h map[string]string) bool { return maps.Equal(h, headers) }
		if headers != nil && !slices.ContainsFunc(sets, known) {
			sets = append(sets, headers)
		}
	}
	return sets
}

// validateHeaders says which names are none, or the same but for their case.
func validateHeaders(in []v1alpha1.Client, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		seen := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(in[i].Headers)) {
			at := path.Index(i).Child("headers").Key(name)
			for _, fault := range validation.IsHTTPHeaderName(name) {
				errs = append(errs, field.Invalid(at, name, fault))
			}
			lower := strings.ToLower(name)
			if seen[lower] {
				errs = append(errs, field.Duplicate(at, name))
			}
			seen[lower] = true
		}
	}
	return errs
}
