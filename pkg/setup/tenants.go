// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// WithTenants returns a scenario in which the clients have what their tenants state, and the
// tenants have what holds for the rows of traces too: their names, priorities, classes and
// latency targets. The scenario stays as it is; without tenants it is returned itself.
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
		t := &out.Workload.Tenants[i]
		*t = v1alpha1.Tenant{Name: t.Name, Priority: t.Priority, Class: t.Class, SLO: t.SLO}
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

// statedByTenants is what tenants state of the rows of traces, by name.
func statedByTenants(in *v1alpha1.Workload) map[string]workload.Stated {
	stated := map[string]workload.Stated{}
	for i := range in.Tenants {
		tenant := &in.Tenants[i]
		s := workload.Stated{Class: tenant.Class}
		if tenant.Priority != nil {
			s.Priority = ptr.To(int(*tenant.Priority))
		}
		if s != (workload.Stated{}) {
			stated[tenant.Name] = s
		}
	}
	return stated
}

// buildTenantTargets returns the targets by class of tenants with targets of their own: those
// of the classes, but for what the tenant states. It is nil where no request has such a tenant.
func buildTenantTargets(in *v1alpha1.Workload, ofClasses []simulator.Target, tenants []string, classes int) [][]simulator.Target {
	var all [][]simulator.Target
	for i := range in.Tenants {
		tenant := &in.Tenants[i]
		at := slices.Index(tenants, tenant.Name)
		if tenant.SLO == nil || at < 0 {
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
	return all
}

func override(target *time.Duration, by v1alpha1.PositiveDuration) {
	if by != "" {
		*target = by.Duration()
	}
}
