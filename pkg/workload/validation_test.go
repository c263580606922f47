// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// validClient is a client without faults.
func validClient(name string) workload.Client {
	return workload.Client{
		Name:     name,
		Arrivals: workload.Arrivals{Process: workload.Poisson, RatePerSecond: 10},
		Input:    workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
		Output:   workload.Lengths{Distribution: stats.Exponential{Mean: 128}, Min: 1},
	}
}

func messages(errs field.ErrorList) []string {
	var all []string
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

func TestValidateClients(t *testing.T) {
	with := func(change func(*workload.Client)) []workload.Client {
		c := validClient("a")
		change(&c)
		return []workload.Client{c}
	}
	for name, tc := range map[string]struct {
		clients []workload.Client
		want    []string
	}{
		"good clients":                      {[]workload.Client{validClient("a"), validClient("b")}, nil},
		"a prefix":                          {with(func(c *workload.Client) { c.PrefixGroup, c.PrefixTokens = "g", 512 }), nil},
		"a group of which nothing is taken": {with(func(c *workload.Client) { c.PrefixGroup = "g" }), nil},
		"no clients":                        {nil, []string{`clients: Required value: at least one client`}},
		"no name": {with(func(c *workload.Client) { c.Name = "" }), []string{
			`clients[0].name: Required value: it names the client's random streams`}},
		"a name twice": {[]workload.Client{validClient("a"), validClient("b"), validClient("a")}, []string{
			`clients[2].name: Duplicate value: "a"`}},
		"several faults at once": {with(func(c *workload.Client) { c.Arrivals, c.PrefixTokens = workload.Arrivals{}, -1 }), []string{
			`clients[0].arrivals.process: Unsupported value: "": supported values: "Poisson", "Constant", "Gamma", "Weibull", "Pareto", "MMPP", "Periodic"`,
			`clients[0].arrivals.rate: Invalid value: 0: must be greater than 0 and at most 1e+09 requests a second`,
			`clients[0].prefix.tokens: Invalid value: -1: must be between 0 and 10000000`}},
		"a prefix of no group": {with(func(c *workload.Client) { c.PrefixTokens = 1 }), []string{
			`clients[0].prefix.group: Required value: a prefix belongs to a group`}},
		"a rate beyond the clock": {with(func(c *workload.Client) { c.Arrivals.RatePerSecond = 2e9 }), []string{
			`clients[0].arrivals.rate: Invalid value: 2e+09: must be greater than 0 and at most 1e+09 requests a second`}},
		"a rate that is no number": {with(func(c *workload.Client) { c.Arrivals.RatePerSecond = math.NaN() }), []string{
			`clients[0].arrivals.rate: Invalid value: NaN: must be greater than 0 and at most 1e+09 requests a second`}},
		"Gamma arrivals without a CV": {with(func(c *workload.Client) { c.Arrivals.Process = workload.Gamma }), []string{
			`clients[0].arrivals.cv: Invalid value: 0: must be between 0.001 and 1000`}},
		"no distribution": {with(func(c *workload.Client) { c.Input.Distribution = nil }), []string{
			`clients[0].inputTokens.distribution: Required value`}},
		"a mean that is infinite": {with(func(c *workload.Client) { c.Output.Distribution = stats.Constant{Value: math.Inf(1)} }), []string{
			`clients[0].outputTokens.mean: Invalid value: +Inf: must be finite`}},
		"lengths of 0": {with(func(c *workload.Client) { c.Input.Min = 0 }), []string{
			`clients[0].inputTokens.min: Invalid value: 0: must be between 1 and 10000000`}},
		"a least length above the greatest": {with(func(c *workload.Client) { c.Input.Min = 1025 }), []string{
			`clients[0].inputTokens.max: Invalid value: 1024: must not be less than min (1025)`}},
		"a negative greatest length": {with(func(c *workload.Client) { c.Output.Max = -1 }), []string{
			`clients[0].outputTokens.max: Invalid value: -1: must be between 1 and 10000000`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := messages(workload.ValidateClients(tc.clients, field.NewPath("clients")))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
