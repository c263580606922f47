// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ValidateTenants returns the faults of the tenants of a whole workload: traits out of range,
// tenants that no client names, and traits that change no client.
func ValidateTenants(in *v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := validateTraits(in, path)
	for i := range in.Tenants {
		errs = append(errs, validateTenantUse(in, &in.Tenants[i], path.Child("tenants").Index(i))...)
	}
	return errs
}

// validateTraits says which traits are out of range.
func validateTraits(in *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in.Tenants {
		a, traits := in.Tenants[i].Archetype, path.Child("tenants").Index(i).Child("archetype")
		if a == nil {
			continue
		}
		if a.PrefixAffinity.Float() > 1 {
			errs = append(errs, field.Invalid(traits.Child("prefixAffinity"), a.PrefixAffinity, "must be at most 1"))
		}
		if a.MeanTurns != "" && a.MeanTurns.Float() < 1 {
			errs = append(errs, field.Invalid(traits.Child("meanTurns"), a.MeanTurns, "must be at least 1"))
		}
	}
	return errs
}

// validateTenantUse says whether no client names a tenant, and which traits change no client.
func validateTenantUse(in *v1alpha1.Workload, tenant *v1alpha1.Tenant, at *field.Path) field.ErrorList {
	of := func(is func(*v1alpha1.Client) bool) bool {
		return slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Tenant == tenant.Name && is(&c) })
	}
	if !of(func(*v1alpha1.Client) bool { return true }) {
		return validateTenantOfTraces(in, tenant, at)
	}
	a := tenant.Archetype
	if a == nil {
		return nil
	}
	var errs field.ErrorList
	traits := at.Child("archetype")
	if a.PrefixAffinity != "" && !of(func(c *v1alpha1.Client) bool { return c.Prefix != nil && c.Prefix.Groups != nil }) {
		errs = append(errs, field.Invalid(traits.Child("prefixAffinity"), a.PrefixAffinity, "no client of the tenant has prefix.groups"))
	}
	if a.BurstCV != "" && !of(hasPoissonArrivals) {
		errs = append(errs, field.Invalid(traits.Child("burstCV"), a.BurstCV, "no client of the tenant has Poisson arrivals"))
	}
	if a.MeanTurns != "" && !of(func(c *v1alpha1.Client) bool { return c.Sessions != nil }) {
		errs = append(errs, field.Invalid(traits.Child("meanTurns"), a.MeanTurns, "no client of the tenant has sessions"))
	}
	return errs
}

// namedTenants lists the tenants that clients name, for the error about another one.
func namedTenants(in *v1alpha1.Workload) string {
	var names []string
	for i := range in.Clients {
		if name := in.Clients[i].Tenant; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; they name " + strings.Join(names, ", ")
}

// validateTenantOfTraces returns the faults of a tenant that no client names. The rows of a
// trace may name it, which is known when the trace is read.
func validateTenantOfTraces(in *v1alpha1.Workload, tenant *v1alpha1.Tenant, at *field.Path) field.ErrorList {
	if in.Trace == nil && len(in.Traces) == 0 {
		return field.ErrorList{field.Invalid(at.Child("name"), tenant.Name, "no client names this tenant"+namedTenants(in))}
	}
	const why = "no client names this tenant, and recorded rows have a rate and lengths of their own: of a tenant of traces alone, state priority, class and slo"
	var errs field.ErrorList
	if tenant.Weight != "" {
		errs = append(errs, field.Forbidden(at.Child("weight"), why))
	}
	if tenant.Archetype != nil {
		errs = append(errs, field.Forbidden(at.Child("archetype"), why))
	}
	return errs
}

// validateUse says which tenants and classes of a whole scenario no request has. Nothing
// is known of a trace that only pods can read.
func validateUse(in *v1alpha1.Scenario, labels workload.Labels, traces trace.Set, path *field.Path) field.ErrorList {
	if anyTrace(&in.Workload, func(t Trace) bool { return traces[t.Name].Requests() == 0 }) {
		return nil
	}
	var errs field.ErrorList
	for i := range in.Workload.Tenants {
		if name := in.Workload.Tenants[i].Name; !slices.Contains(labels.Tenants, name) {
			errs = append(errs, field.NotSupported(path.Child("workload", "tenants").Index(i).Child("name"), name, labels.Tenants))
		}
	}
	for i := range in.SLOs {
		if class := in.SLOs[i].Class; !slices.Contains(labels.Classes, class) {
			errs = append(errs, field.NotSupported(path.Child("slos").Index(i).Child("class"), class, labels.Classes))
		}
	}
	return errs
}
