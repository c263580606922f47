// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// WithTenants returns a scenario in which the clients have what their tenants state, and the
// tenants have their names and latency targets only. The scenario stays as it is; without
// tenants it is returned itself.
func WithTenants(in *v1alpha1.Scenario) *v1alpha1.Scenario {
	if len(in.Workload.Tenants) == 0 {
		return in
	}
	out := in.DeepCopy()
	for i := range in.Workload.Tenants {
		tenant := &in.Workload.Tenants[i]
		for j := range out.Workload.Clients {
			if c := &out.Workload.Clients[j]; c.Tenant == tenant.Name {
				applyTenant(tenant, c)
			}
		}
		out.Workload.Tenants[i] = v1alpha1.Tenant{Name: tenant.Name, SLO: out.Workload.Tenants[i].SLO}
	}
	return out
}

// applyTenant gives a client what its tenant states.
func applyTenant(tenant *v1alpha1.Tenant, c *v1alpha1.Client) {
	if tenant.Priority != nil {
		c.Priority = *tenant.Priority
	}
	if tenant.Class != "" {
		c.Class = tenant.Class
	}
	if tenant.Weight != "" {
		multiplyTraffic(c, tenant.Weight.Float())
	}
	a := tenant.Archetype
	if a == nil {
		return
	}
	if a.PromptSize != "" {
		c.InputTokens = promptLengths(a.PromptSize)
	}
	if a.PrefixAffinity != "" && c.Prefix != nil && c.Prefix.Groups != nil {
		c.Prefix.Groups.Correlation = a.PrefixAffinity
	}
	if a.BurstCV != "" && hasPoissonArrivals(c) {
		c.Arrivals.Process, c.Arrivals.CV = v1alpha1.WeibullArrivals, a.BurstCV
	}
	if a.MeanTurns != "" && c.Sessions != nil {
		c.Sessions.Turns = v1alpha1.Lengths{Distribution: v1alpha1.ExponentialLengths, Mean: a.MeanTurns, Min: 1}
	}
}

func hasPoissonArrivals(c *v1alpha1.Client) bool {
	return c.ClosedLoop == nil && c.Arrivals.Process == v1alpha1.PoissonArrivals
}

// multiplyTraffic multiplies the rates of a client, and the users of a closed loop, of whom
// one remains at least.
func multiplyTraffic(c *v1alpha1.Client, by float64) {
	if c.Arrivals.Rate != "" {
		c.Arrivals.Rate = multiply(c.Arrivals.Rate, by)
	}
	for i := range c.Arrivals.Stages {
		s := &c.Arrivals.Stages[i]
		s.Rate = multiply(s.Rate, by)
		if s.RampTo != "" {
			s.RampTo = multiply(s.RampTo, by)
		}
	}
	if c.ClosedLoop != nil {
		users := math.Round(float64(c.ClosedLoop.Concurrency) * by)
		c.ClosedLoop.Concurrency = int32(min(max(users, 1), math.MaxInt32))
	}
}

// multiply returns a decimal number times another, with 12 significant digits.
func multiply[D ~string](d D, by float64) D {
	x, err := strconv.ParseFloat(string(d), 64)
	if err != nil {
		return d // which the schema rules out
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x*by, 'g', 12, 64), 64)
	if err != nil {
		panic(fmt.Sprintf("setup: a formatted number does not parse: %v", err))
	}
	return D(strconv.FormatFloat(rounded, 'f', -1, 64))
}

// promptLengths are the lengths that a word stands for. Their means are orders of magnitude of
// a question, of the public Azure traces, of the public Mooncake conversations, and of a
// prompt that fills half of a context of 128 Ki tokens; all are assumed to be log-normal.
func promptLengths(size v1alpha1.PromptSize) v1alpha1.Lengths {
	l := v1alpha1.Lengths{Distribution: v1alpha1.LogNormalLengths, Min: 1}
	switch size {
	case v1alpha1.SmallPrompts:
		l.Mean, l.StdDev = "200", "200"
	case v1alpha1.MediumPrompts:
		l.Mean, l.StdDev = "1000", "1000"
	case v1alpha1.LargePrompts:
		l.Mean, l.StdDev = "8000", "8000"
	case v1alpha1.ElephantPrompts:
		l.Mean, l.StdDev, l.Max = "64000", "32000", ptr.To(int32(120_000))
	}
	return l
}

// ValidateTenants says which tenants nobody names, and which traits change nothing of any
// client.
func ValidateTenants(in *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in.Tenants {
		tenant, at := &in.Tenants[i], path.Child("tenants").Index(i)
		of := func(is func(*v1alpha1.Client) bool) bool {
			return slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Tenant == tenant.Name && is(&c) })
		}
		if !of(func(*v1alpha1.Client) bool { return true }) {
			// The rows of a trace may name it, which is known when it is read.
			if in.Trace == nil && len(in.Traces) == 0 {
				errs = append(errs, field.Invalid(at.Child("name"), tenant.Name, "no client names this tenant"))
			} else if tenant.SLO == nil || tenant.Weight != "" || tenant.Priority != nil || tenant.Class != "" || tenant.Archetype != nil {
				errs = append(errs, field.Invalid(at, tenant.Name, "no client names this tenant, and of a trace's tenant it can state the slo alone"))
			}
			continue
		}
		a := tenant.Archetype
		if a == nil {
			continue
		}
		traits := at.Child("archetype")
		if a.PrefixAffinity.Float() > 1 {
			errs = append(errs, field.Invalid(traits.Child("prefixAffinity"), a.PrefixAffinity, "must be at most 1"))
		}
		if a.PrefixAffinity != "" && !of(func(c *v1alpha1.Client) bool { return c.Prefix != nil && c.Prefix.Groups != nil }) {
			errs = append(errs, field.Invalid(traits.Child("prefixAffinity"), a.PrefixAffinity, "no client of the tenant has prefix.groups"))
		}
		if a.BurstCV != "" && !of(hasPoissonArrivals) {
			errs = append(errs, field.Invalid(traits.Child("burstCV"), a.BurstCV, "no client of the tenant has Poisson arrivals"))
		}
		if a.MeanTurns != "" && !of(func(c *v1alpha1.Client) bool { return c.Sessions != nil }) {
			errs = append(errs, field.Invalid(traits.Child("meanTurns"), a.MeanTurns, "no client of the tenant has sessions"))
		}
		if a.MeanTurns != "" && a.MeanTurns.Float() < 1 {
			errs = append(errs, field.Invalid(traits.Child("meanTurns"), a.MeanTurns, "must be at least 1"))
		}
	}
	return errs
}

// buildTenantTargets returns the targets by class of tenants with targets of their own: those
// of the classes, but for what the tenant states. It is nil where there is no such tenant.
func buildTenantTargets(in *v1alpha1.Workload, ofClasses []simulator.Target, tenants []string, classes int, path *field.Path) ([][]simulator.Target, field.ErrorList) {
	var all [][]simulator.Target
	var errs field.ErrorList
	for i := range in.Tenants {
		tenant := &in.Tenants[i]
		if tenant.SLO == nil {
			continue
		}
		at := slices.Index(tenants, tenant.Name)
		if at < 0 {
			errs = append(errs, field.NotSupported(path.Child("tenants").Index(i).Child("name"), tenant.Name, tenants))
			continue
		}
		if all == nil {
			all = make([][]simulator.Target, len(tenants))
		}
		all[at] = make([]simulator.Target, classes)
		copy(all[at], ofClasses)
		for class := range all[at] {
			t := &all[at][class]
			override(&t.TTFT, tenant.SLO.TTFT)
			override(&t.TPOT, tenant.SLO.TPOT)
			override(&t.E2E, tenant.SLO.E2E)
		}
	}
	return all, errs
}

func override(target *time.Duration, by v1alpha1.PositiveDuration) {
	if by != "" {
		*target = by.Duration()
	}
}
