// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestSchedule(t *testing.T) {
	at := func(d time.Duration, replicas ...int) *scene {
		s := newScene(replicas...)
		s.view.Now = simtime.Time(d)
		return s
	}
	daily := []string{"at=0s=2,6h=8,18h=4", "period=24h"}
	decide(t, "schedule", map[string]decision{
		"at the start":                          {at(0, 1), daily, "2", "2 from 0s of the schedule on, which is at 0s"},
		"just before a change":                  {at(6*time.Hour-1, 1), daily, "2", "2 from 0s"},
		"at a change":                           {at(6*time.Hour, 1), daily, "8", "8 from 6h0m0s"},
		"the next day":                          {at(25*time.Hour, 1), daily, "2", "which is at 1h0m0s"},
		"with an offset":                        {at(time.Hour, 1), append(daily, "offset=17h"), "4", "which is at 18h0m0s"},
		"the last one goes on without a period": {at(25*time.Hour, 1), daily[:1], "4", "4 from 18h0m0s"},
		"before the first one":                  {at(time.Hour, 3), []string{"at=6h=8"}, "3", "the schedule begins at 6h0m0s"},
		"before the first one of a period":      {at(time.Hour, 3), []string{"at=6h=8,7h=9", "period=24h"}, "9", "9 from 7h0m0s"},
		"prefill and decode":                    {at(time.Hour, 3, 3), []string{"at=0s=1:2, 30m=2:6"}, "2:6", "2:6 from 30m0s"},
	})
}
