// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
)

// skewedClock is a clock that is so much ahead of the API server's.
type skewedClock time.Duration

func (c skewedClock) Now() time.Time                  { return time.Now().Add(time.Duration(c)) }
func (c skewedClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// TestClocksThatAreOff has a manager whose clock is an hour off hand a sweep over to one
// whose clock is an hour off the other way. With a deadline of half an hour it completes;
// a short deadline comes, and what a TTL removes goes, within seconds of when they should.
func TestClocksThatAreOff(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	p.createNamespace(t, skewed)
	for name, clocks := range map[string][2]time.Duration{
		"ahead, then behind": {time.Hour, -time.Hour},
		"behind, then ahead": {-time.Hour, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			manage := func(ahead time.Duration) (stop func() error) {
				served := controllers.NewServerClock(skewedClock(ahead))
				return p.manage(t, skewed, served.Listen, served)
			}
			const seconds = 4
			p.kubelet.set(skewed, faults{hold: true})
			sweep, stuck := weights().Shards(2).Obj(), weights().Obj()
			sweep.Name, stuck.Name = fmt.Sprintf("off-by-%.0f", clocks[0].Hours()+2), fmt.Sprintf("stuck-by-%.0f", clocks[0].Hours()+2)
			sweep.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](1800)
			sweep.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](seconds)
			stop := manage(clocks[0])
			p.create(t, skewed, sweep)
			p.until(t, sweep, v1alpha1.ConditionReconciling)
			if off := time.Since(sweep.Status.StartTime.Time).Abs(); off > time.Minute {
				t.Errorf("it started %s off", off)
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}

			stop = manage(clocks[1])
			began := time.Now()
			stuck.Spec.Execution.ActiveDeadlineSeconds = ptr.To[int64](seconds)
			p.create(t, skewed, stuck)
			failed := p.until(t, stuck, v1alpha1.ConditionFailed)
			if took := time.Since(began); failed.Reason != v1alpha1.ReasonDeadlineExceeded || took < (seconds-1)*time.Second {
				t.Errorf("after %s it failed with %s: %s", took, failed.Reason, failed.Message)
			}
			p.kubelet.set(skewed, faults{})
			p.until(t, sweep, v1alpha1.ConditionComplete)
			eventually(t, func() string {
				for _, job := range p.jobs(t, skewed) {
					if job.OwnerReferences[0].UID == sweep.UID {
						return "its Job is still there"
					}
				}
				return ""
			})
			// A server's date has whole seconds.
			if lived := time.Since(sweep.Status.CompletionTime.Time); lived < (seconds-2)*time.Second {
				t.Errorf("its Job went after %s", lived)
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
