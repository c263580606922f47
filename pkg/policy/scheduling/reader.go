// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// weightPrefix is what comes before a tenant in the name of its weight, and eachTenant
// stands for the tenant where the parameter is described.
const (
	weightPrefix = "weight:"
	eachTenant   = "TENANT"
)

// A reader reads a policy's parameters one by one and collects what is wrong with them.
type reader struct {
	policy  *Policy
	values  map[string]string
	path    *field.Path
	tenants map[string]float64 // what byTenant has read
	errs    field.ErrorList
}

// positive reads a number that is greater than 0 and at most so much.
func (r *reader) positive(name string, otherwise, most float64) float64 {
	text, ok := r.values[name]
	if !ok {
		return otherwise
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= most) {
		r.errs = append(r.errs, field.Invalid(r.path.Key(name), text, fmt.Sprintf("must be a number greater than 0 and at most %v", most)))
		return otherwise
	}
	return x
}

// choice reads one of some words, the first of which is the default.
func (r *reader) choice(name string, allowed ...string) string {
	text, ok := r.values[name]
	if !ok {
		return allowed[0]
	}
	if !slices.Contains(allowed, text) {
		r.errs = append(r.errs, field.NotSupported(r.path.Key(name), text, allowed))
	}
	return text
}

// byTenant reads the numbers of tenants, each greater than 0 and at most so much.
func (r *reader) byTenant(prefix string, most float64) map[string]float64 {
	r.tenants = map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if tenant, ok := strings.CutPrefix(name, prefix); ok && tenant != "" {
			r.tenants[tenant] = r.positive(name, 1, most)
		}
	}
	return r.tenants
}

// accepts reports whether a name is one that the parameter goes by.
func (p *Parameter) accepts(name string) bool {
	prefix, each := strings.CutSuffix(p.Name, eachTenant)
	if !each {
		return name == p.Name
	}
	return strings.HasPrefix(name, prefix) && name != prefix
}

// done returns what is wrong, with the parameters that the policy does not have.
func (r *reader) done() field.ErrorList {
	known := r.policy.Parameters
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		switch {
		case slices.ContainsFunc(known, func(p Parameter) bool { return p.accepts(name) }):
		case len(known) == 0:
			r.errs = append(r.errs, field.Forbidden(r.path.Key(name), r.policy.Name+" has no parameters"))
		default:
			r.errs = append(r.errs, unknown(r.path.Key(name), name, "parameter", names(known, func(p *Parameter) string { return p.Name })))
		}
	}
	return r.errs
}
