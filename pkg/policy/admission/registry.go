// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// policies are all there are. Each is made under a seed.
var policies = parameters.Registry[*loader, func(seed int64) policy.Admission]{
	{Name: "always", Help: "admits every request", Read: readAlways},
	{Name: "reject-all", Help: "rejects every request, as the worst case to compare with", Read: readRejectAll},
	{Name: "token-bucket", Help: "limits the rate of requests or prompt tokens, of all together or of each tenant", Read: readTokenBucket},
	{Name: "slo-gated", Help: "lets critical requests enter always, standard ones up to a queue depth, and others up to a lower one", Read: readSLOGated},
	{Name: "tier-shed", Help: "refuses each class from a saturation of its own on", Read: readTierShed},
	{Name: "saturation", Help: "sheds requests below a priority while the replicas are saturated, as the EPP does", Read: readSaturation},
	{Name: "probabilistic", Help: "sheds a share of the requests that grows with saturation", Read: readProbabilistic},
	{Name: "tenant-budget", Help: "holds tenants to their shares of the requests or prompt tokens in flight, once all are used", Read: readTenantBudget},
	{Name: "burst-detection", Help: "stops a tenant whose rate is a multiple of its own mean", Read: readBurstDetection},
	{Name: "stability", Help: "lets the stability controller of the chosen replica reject a request for which it finds no room", Read: readStability},
	{Name: "delay", Help: "makes requests wait at the gateway while the replicas are saturated", Read: readDelay},
}

// Describe lists all policies for documentation.
func Describe() []parameters.Description {
	return policies.Describe(func() *loader { return &loader{Reader: parameters.NewReader(nil, nil)} })
}
