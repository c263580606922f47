// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// A policyType is a way to admit requests. read returns how it is made, under a seed.
type policyType struct {
	name, help string
	read       func(*loader) func(seed int64) policy.Admission
}

// policies are all there are.
var policies = []policyType{
	{"always", "admits every request", readAlways},
	{"reject-all", "rejects every request, as the worst case to compare with", readRejectAll},
	{"token-bucket", "limits the rate of requests or prompt tokens, of all together or of each tenant", readTokenBucket},
	{"slo-gated", "lets critical requests enter always, standard ones up to a queue depth, and others up to a lower one", readSLOGated},
	{"tier-shed", "refuses each class from a saturation of its own on", readTierShed},
	{"saturation", "sheds requests below a priority while the replicas are saturated, as the EPP does", readSaturation},
	{"probabilistic", "sheds a share of the requests that grows with saturation", readProbabilistic},
	{"tenant-budget", "holds tenants to their shares of the requests or prompt tokens in flight, once all are used", readTenantBudget},
	{"burst-detection", "stops a tenant whose rate is a multiple of its own mean", readBurstDetection},
	{"stability", "lets the stability controller of the chosen replica reject a request for which it finds no room", readStability},
	{"delay", "makes requests wait at the gateway while the replicas are saturated", readDelay},
}

// Policies returns the names of all policies.
func Policies() []string {
	var names []string
	for _, p := range policies {
		names = append(names, p.name)
	}
	return names
}

// Description says what a policy does and which parameters it has.
type Description struct {
	Name, Help string
	Parameters []parameters.Parameter
}

// Describe lists all policies for documentation.
func Describe() []Description {
	var all []Description
	for _, p := range policies {
		l := &loader{Reader: parameters.NewReader(nil, nil)}
		p.read(l)
		all = append(all, Description{p.name, p.help, l.Known()})
	}
	return all
}
