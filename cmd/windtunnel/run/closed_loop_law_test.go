// SPDX-License-Identifier: Apache-2.0

package run

import (
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// loop is what the law needs of a client with a closed loop.
type loop struct {
	client       string
	users, think float64
}

// loopsOf are the closed loops of a scenario.
func loopsOf(t *testing.T, in *v1alpha1.Scenario) []loop {
	t.Helper()
	var loops []loop
	for _, c := range setup.WithTenants(in).Workload.Clients {
		if c.ClosedLoop == nil {
			continue
		}
		if c.Retry != nil || c.Sessions != nil && (c.Sessions.Branches != nil || c.Sessions.Tools != nil || c.Sessions.Turns.Distribution != v1alpha1.ConstantLengths) {
			t.Fatalf("client %s: the mean think time between two of its requests is not known here", c.Name)
		}
		l := loop{client: c.Name, users: float64(c.ClosedLoop.Concurrency), think: meanSeconds(c.ClosedLoop.ThinkTime)}
		if c.Copies != nil {
			l.users *= float64(c.Copies.Count)
		}
		if d := c.ClosedLoop.ThinkTime; c.Sessions == nil && (d == nil || d.Distribution == v1alpha1.ConstantDurations) {
			l.think += workload.DefaultTurnaround.Seconds()
		}
		if s := c.Sessions; s != nil && s.ThinkTime != nil {
			turns := s.Turns.Mean.Float()
			l.think = (l.think + (turns-1)*meanSeconds(s.ThinkTime)) / turns
		}
		loops = append(loops, l)
	}
	return loops
}

func meanSeconds(d *v1alpha1.Durations) float64 {
	switch {
	case d == nil:
		return 0
	case d.Distribution == v1alpha1.UniformDurations:
		return (d.Min.Duration() + d.Max.Duration()).Seconds() / 2
	}
	return d.Mean.Duration().Seconds()
}

// sends reports whether a source is the loop's client or a copy of it.
func (l *loop) sends(source string) bool {
	rest, ok := strings.CutPrefix(source, l.client)
	return ok && (rest == "" || rest[0] == '-')
}

// differences are, by seed, how far the mean response time R is from N/X - Z, and the time for
// a cycle of thinking and waiting.
func (l *loop) differences(rows []result.RequestRow, seconds float64) (differences []float64, cycle float64) {
	count, sum := map[int64]float64{}, map[int64]float64{}
	for _, r := range rows {
		if r.Measured && l.sends(r.Source) && r.E2ESeconds != nil {
			count[r.Seed]++
			sum[r.Seed] += *r.E2ESeconds
		}
	}
	for _, seed := range slices.Sorted(maps.Keys(count)) {
		n := count[seed]
		response, throughput := sum[seed]/n, n/seconds
		differences = append(differences, response-(l.users/throughput-l.think))
		cycle += l.users / throughput / float64(len(count))
	}
	return differences, cycle
}

// TestClosedLoopsKeepTheResponseTimeLaw holds every sample and scenario with a closed loop
// against R = N/X - Z, the law of interactive systems.
func TestClosedLoopsKeepTheResponseTimeLaw(t *testing.T) {
	samples, _ := filepath.Glob("../../config/samples/*.yaml")
	scenarios, _ := filepath.Glob("testdata/closed-loops/*.yaml")
	replications := regexp.MustCompile(`(?m)^  replications: .*$`)
	tested := 0
	for _, file := range append(samples, scenarios...) {
		raw := testfile.Read(t, file)
		if !strings.Contains(string(raw), "closedLoop:") {
			continue
		}
		tested++
		t.Run(filepath.Base(file), func(t *testing.T) {
			if !replications.Match(raw) {
				t.Fatal("the manifest has no line with replications")
			}
			text := replications.ReplaceAllString(string(raw), "  replications: {count: 8}")
			scenario := &experimenttest.ReadSet(t, []byte(text)).Runs[0].Spec.Scenario
			requests, _ := cmdtest.RequestsOf(t, windtunnel, "run", "-f", cmdtest.TempFile(t, "run.yaml", text))
			rows := cmdtest.ReadRequests(t, requests)
			seconds := scenario.Horizon.Duration.Duration().Seconds() - scenario.Horizon.Warmup.Duration().Seconds()
			for _, l := range loopsOf(t, scenario) {
				differences, cycle := l.differences(rows, seconds)
				// A window cuts the first cycle and the last one of each user.
				edge := cycle * cycle / seconds / math.Sqrt(l.users)
				i := stats.MeanInterval(differences, 0.999)
				if len(differences) != 8 || i.Low > edge || i.High < -edge {
					t.Errorf("client %s: R - (N/X - Z) is between %.4f s and %.4f s over %d seeds, and %.4f s may be of the edges; a cycle takes %.3f s", l.client, i.Low, i.High, len(differences), edge, cycle)
				}
				t.Logf("client %s: %.4f s to %.4f s, edges %.4f s, of a cycle of %.3f s", l.client, i.Low, i.High, edge, cycle)
			}
		})
	}
	if tested < 6 {
		t.Errorf("only %d files with closed loops", tested)
	}
}
