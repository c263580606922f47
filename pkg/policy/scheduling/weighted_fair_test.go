// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// serve starts the first of some jobs and serves it to its end, which it returns.
func serve(s *Scheduler, queue []Job, tokens int) (Job, []Job) {
	first := 0
	for i := range queue {
		if s.Compare(queue[i], queue[first], 0) < 0 {
			first = i
		}
	}
	j := queue[first]
	s.Listener.Started(j)
	s.Service.Add(j.Tenant, int64(tokens))
	s.Listener.Left(j, false)
	return j, append(queue[:first:first], queue[first+1:]...)
}

// TestBackloggedTenantsGetTheirShares: while all tenants wait, what each was served stays
// within one request of its share, at the end of each request. The bound is that of the
// lengths over weights: whoever is served had the lowest tag, so that tags never differ by
// more than the greatest length ÷ weight.
func TestBackloggedTenantsGetTheirShares(t *testing.T) {
	weights := []float64{1, 2, 5}
	sum := 8.0
	for seed := range int64(20) {
		stream := stats.NewStream(seed, "shares")
		s := WeightedFair(weights)
		var queue []Job
		for turn := range 900 {
			j := Job{Turn: int64(turn), Tenant: turn % 3}
			queue = append(queue, j)
			s.Listener.Entered(j)
		}
		served := make([]float64, len(weights))
		greatest, total := 0.0, 0.0
		for range 150 { // whoever is served has more
			tokens := 1 + stream.IntN(1000)
			var j Job
			j, queue = serve(&s, queue, tokens)
			served[j.Tenant] += float64(tokens)
			total += float64(tokens)
			greatest = max(greatest, float64(tokens)/weights[j.Tenant])
			for tenant, weight := range weights {
				if ahead := served[tenant] - total*weight/sum; math.Abs(ahead) > weight*greatest {
					t.Fatalf("seed %d: tenant %d is %v tokens ahead of its share of %v, at most one request is %v", seed, tenant, ahead, total, weight*greatest)
				}
			}
		}
	}
}

func TestAbsenceGivesNoCredit(t *testing.T) {
	s := WeightedFair(nil)
	turn := int64(0)
	enter := func(queue []Job, tenant int) []Job {
		j := Job{Turn: turn, Tenant: tenant}
		turn++
		s.Listener.Entered(j)
		return append(queue, j)
	}
	var queue []Job
	for range 20 {
		queue = enter(queue, 0)
	}
	for range 10 {
		_, queue = serve(&s, queue, 100)
	}
	for range 10 {
		queue = enter(queue, 1)
	}
	got := ""
	for range 8 {
		var j Job
		j, queue = serve(&s, queue, 100)
		got += fmt.Sprint(j.Tenant)
	}
	// The newcomer has the virtual time, which is one request less than what the other
	// tenant has got.
	if want := "10101010"; got != want {
		t.Errorf("tenants are served in the order %s, want %s", got, want)
	}
}

func TestAnEmptyEngineForgetsWhatWasServed(t *testing.T) {
	s := WeightedFair(nil)
	first := Job{Turn: 0, Tenant: 0}
	s.Listener.Entered(first)
	serve(&s, []Job{first}, 10_000)
	queue := []Job{{Turn: 1, Tenant: 0}, {Turn: 2, Tenant: 1}}
	for _, j := range queue {
		s.Listener.Entered(j)
	}
	if s.Compare(queue[0], queue[1], 0) > 0 {
		t.Error("the tenant that used the idle engine has to wait for the other one")
	}
}

// A tenant that leaves the queue waiting, or is preempted, is counted as it is.
func TestWhoWaitsIsCounted(t *testing.T) {
	f := &weightedFair{service: &Service{}}
	j := Job{Tenant: 2}
	f.Entered(j)
	f.Entered(j)
	f.Started(j)
	f.Preempted(j)
	f.Left(j, true)
	f.Started(j)
	if f.tenants[2].waiting != 0 || f.jobs != 1 {
		t.Errorf("%d wait of %d, want none of 1", f.tenants[2].waiting, f.jobs)
	}
	f.Left(j, false)
	if f.jobs != 0 {
		t.Errorf("there are %d jobs", f.jobs)
	}
}
