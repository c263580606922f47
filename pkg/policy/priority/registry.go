// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// policies are all there are.
var policies = parameters.Registry[*loader, func() policy.Priority]{
	{Name: "constant", Help: "gives every request the same priority", Read: readConstant},
	{Name: "class", Help: "gives each class a priority", Read: readClass},
	{Name: "tenant", Help: "gives each tenant a priority", Read: readTenant},
	{Name: "class-age", Help: "gives each class a head start, and lets requests that arrived earlier come first otherwise", Read: readClassAge},
	{Name: "deadline", Help: "puts the request first whose first token is due first", Read: readDeadline},
	{Name: "least-attained-service", Help: "puts the tenant first that was admitted the fewest prompt tokens", Read: readLeastAttained},
}

// Describe lists all policies for documentation.
func Describe() []parameters.Description {
	return policies.Describe(func() *loader { return &loader{Reader: parameters.NewReader(nil, nil)} })
}
