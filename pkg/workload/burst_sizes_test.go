// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// burstClient has requests whose lengths go with how dense arrivals are.
func burstClient(process workload.Arrivals, rho float64, lengths stats.Distribution) workload.Client {
	c := validClient("bursty")
	process.RatePerSecond, process.SizeCorrelation = 1, rho
	c.Arrivals, c.Input = process, workload.Lengths{Distribution: lengths, Min: 1}
	return c
}

// coupled are the gaps before the requests of a client, less than 0 for the sake of the
// correlation, and the lengths of the prompts.
func coupled(c workload.Client, n int) (gaps, lengths []float64) {
	last := simtime.Time(0)
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), n) {
		gaps, lengths = append(gaps, -float64(r.Arrival-last)), append(lengths, float64(r.Prompt.Tokens()))
		last = r.Arrival
	}
	return gaps, lengths
}

// coupledDraws is how many requests each coupling has.
const coupledDraws = 100_000

// writeCouplings compares couplings with the correlations that they state, and the lengths with
// their laws.
func writeCouplings(t *testing.T, page *strings.Builder) {
	// The greatest correlation of a choice of 32.
	const greatest = 31. / 32
	weibull, pareto := workload.Arrivals{Process: arrival.Weibull, CV: 2}, workload.Arrivals{Process: arrival.Pareto, Shape: 1.5}
	gamma, poisson := workload.Arrivals{Process: workload.Gamma, CV: 2}, workload.Arrivals{Process: workload.Poisson}
	of := lengthLaws()
	find := func(name string) law {
		return of[slices.IndexFunc(of, func(l law) bool { return l.name == name })]
	}
	page.WriteString("| arrivals | lengths | correlation: stated | drawn | mean: theory | drawn | statistic | p-value |\n|---|---|---|---|---|---|---|---|\n")
	for _, tc := range []struct {
		arrivals workload.Arrivals
		rho      float64
		law      law
		lengths  stats.Distribution
	}{
		{poisson, 0.5, find("Exponential"), stats.Exponential{Mean: 500}},
		{gamma, 0.8, find("LogNormal"), stats.LogNormalOf(500, 400)},
		{weibull, 0.3, find("Gamma"), stats.GammaOf(500, 400)},
		{weibull, -0.6, find("Pareto"), stats.ParetoOf(500, 2.5)},
		{pareto, 0.9, find("Mixture"), stats.MixtureOf([]stats.Weighted{{Weight: 3, Distribution: stats.ParetoOf(500, 2.5)}, {Weight: 1, Distribution: stats.LogNormalOf(500, 400)}})},
		{pareto, 1, find("LogNormal"), stats.LogNormalOf(500, 400)},
	} {
		gaps, lengths := coupled(burstClient(tc.arrivals, tc.rho, tc.lengths), coupledDraws)
		got, _ := stats.Spearman(gaps, lengths)
		if want := max(-greatest, min(greatest, tc.rho)); math.Abs(got-want) > 0.01 {
			t.Errorf("%s, %s: rank correlation %v, want %v", tc.arrivals.Process, tc.law.name, got, want)
		}
		tc.law.resolution = 1
		slices.Sort(lengths)
		mean, _ := momentsOf(lengths)
		statistic, p := tc.law.test(lengths)
		if !(p >= 1e-4) {
			t.Errorf("%s with correlation %v: the lengths are not %s: %s, p-value %v", tc.arrivals.Process, tc.rho, tc.law.name, statistic, p)
		}
		fmt.Fprintf(page, "| `%s` | `%s` | %v | %.3f | %s | %s | %s | %.4f |\n", tc.arrivals.Process, tc.law.name, tc.rho, got, digits(tc.law.mean), digits(mean), statistic, p)
	}
}

// TestPromptsAreLongerInTheStatesOfAnMMPP has a state of few requests and one of many, which
// send as many requests in the long run.
func TestPromptsAreLongerInTheStatesOfAnMMPP(t *testing.T) {
	const rho, mean, n = 0.8, 500., 200_000
	process := func(scale time.Duration) workload.Arrivals {
		return workload.Arrivals{Process: arrival.MMPP, States: []arrival.State{
			{RateFactor: 20, MeanDuration: 50 * scale}, {RateFactor: 1, MeanDuration: 1000 * scale},
		}}
	}
	gaps, lengths := coupled(burstClient(process(time.Second), rho, stats.Exponential{Mean: mean}), n)
	// A request is in a state if the gaps before it and those behind it are of that state.
	const near = 8
	sum, count := [2]float64{}, [2]float64{}
	for i := near; i < len(gaps)-near; i++ {
		before, behind := 0.0, 0.0
		for j := range near {
			before, behind = before-gaps[i-j]/1e9, behind-gaps[i+1+j]/1e9
		}
		dense := 0
		if max(before, behind) < 3 {
			dense = 1
		} else if min(before, behind) < 6 {
			continue
		}
		sum[dense] += lengths[i]
		count[dense]++
	}
	// Above the median, the mean of an exponential law is 1 + ln 2 times its mean.
	probability := rho * 32. / 31
	for dense, factor := range []float64{1 - math.Ln2, 1 + math.Ln2} {
		want := mean * (1 + probability*(factor-1))
		if got := sum[dense] / count[dense]; math.Abs(got-want) > 0.04*want {
			t.Errorf("mean length %v of %v requests in state %d, want %v", got, count[dense], dense, want)
		}
	}
	// With states of a few requests, lengths hardly depend on each other.
	_, lengths = coupled(burstClient(process(5*time.Millisecond), rho, stats.Exponential{Mean: mean}), coupledDraws)
	all := law{cdf: func(x float64) float64 { return 1 - math.Exp(-max(0, x)/mean) }, resolution: 1}
	slices.Sort(lengths)
	if statistic, p := all.test(lengths); p < 1e-4 {
		t.Errorf("the lengths of all requests are not exponential: %s, p-value %v", statistic, p)
	}
}

// TestACouplingChangesNothingElse compares clients with and without one.
func TestACouplingChangesNothingElse(t *testing.T) {
	waiting := sessionClient("bursty")
	waiting.Arrivals = workload.Arrivals{Process: workload.Poisson, RatePerSecond: 5}
	shared := validClient("bursty")
	shared.Copies = &workload.Copies{Count: 20, SharedArrivals: workload.Random}
	chat := validClient("bursty")
	chat.Sessions = &workload.Sessions{Concurrent: 3, Turns: tokens(4), Context: workload.Independent, Order: workload.Cycle}
	for name, c := range map[string]workload.Client{
		"requests": validClient("bursty"), "copies": shared, "conversations": chat, "conversations that wait": waiting,
	} {
		t.Run(name, func(t *testing.T) {
			requests := func(rho float64) []workload.Request {
				c.Arrivals.SizeCorrelation = rho
				return workloadtest.Serve(workload.NewClients([]workload.Client{c, validClient("other")}, 3), 4000, workloadtest.Completed(time.Second))
			}
			differ := 0
			plain := requests(0)
			for i, r := range requests(0.5) {
				of := plain[i]
				first := c.Sessions == nil || !c.Sessions.AfterAnswer || r.Origin.Turn == 1
				if first && r.Prompt.Tokens() != of.Prompt.Tokens() {
					differ++
				}
				if diff := cmp.Diff([]any{of.Arrival, of.Client, of.OutputTokens, of.Origin}, []any{r.Arrival, r.Client, r.OutputTokens, r.Origin}); diff != "" {
					t.Fatalf("request %d (−without +with):\n%s", i, diff)
				}
			}
			if share := float64(differ) / float64(len(plain)); share < 0.05 {
				t.Errorf("%.2f of the prompts have another length", share)
			}
		})
	}
}

func TestCouplingsThatChangeNothingAreFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Client)
		want string
	}{
		"too much":          {func(c *workload.Client) { c.Arrivals.SizeCorrelation = 1.01 }, "Invalid value: 1.01: must be between -1 and 1"},
		"not a number":      {func(c *workload.Client) { c.Arrivals.SizeCorrelation = math.NaN() }, "Invalid value: NaN: must be between -1 and 1"},
		"equal gaps":        {func(c *workload.Client) { c.Arrivals.Process = workload.Constant }, "Forbidden: arrivals of the process Constant have no bursts"},
		"regular times":     {func(c *workload.Client) { c.Arrivals.Process = arrival.Periodic }, "Forbidden: arrivals of the process Periodic have no bursts"},
		"fixed prompts":     {func(c *workload.Client) { c.Prompts = &workload.Prompts{Count: 2, Order: workload.Cycle} }, "Forbidden: prompts are fixed"},
		"prompts of a size": {func(c *workload.Client) { c.Input = tokens(5) }, "Forbidden: inputTokens is Constant"},
	} {
		t.Run(name, func(t *testing.T) {
			c := validClient("a")
			c.Arrivals.SizeCorrelation = 0.5
			tc.edit(&c)
			errs := c.Validate(field.NewPath("c"))
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "c.arrivals.sizeCorrelation: "+tc.want) {
				t.Errorf("faults %v, want %q", errs, tc.want)
			}
		})
	}
}
