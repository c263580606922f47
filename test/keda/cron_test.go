// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// CronStory is one trigger of type cron, and what it said at some times.
type CronStory struct {
	Start, End, Zone string
	Replicas         int64
	Target           hpa.Target
	Asks             []CronAsk
}

// CronAsk is what a trigger said at a time, in thousandths.
type CronAsk struct {
	At     time.Time
	Value  int64
	Active bool
}

// expressions have times that come often, seldom and never, and that the change to summer time
// skips or repeats.
var expressions = []string{
	"0 8 * * 1-5", "30 18 * * *", "*/15 * * * *", "7 * * * *", "0 0 1 * *", "0 0 30 2 *", "30 2 * * *", "15 1-3 * * SUN",
	"0 22 * * 5", "5,35 9-17 * * MON-FRI", "0 6 * jan-mar ?", "0 0 29 2 *", "59 23 31 12 *", "0 12 1-7 * 1", " 45  17 * * * ",
}

// askCron asks a trigger of KEDA over some months.
func askCron(t *testing.T, r *rand.Rand) *CronStory {
	s := &CronStory{
		Start: pick(r, expressions...), End: pick(r, expressions...), Replicas: pick[int64](r, 1, 3, 20),
		Zone: pick(r, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
	}
	for s.End == s.Start {
		s.End = pick(r, expressions...)
	}
	kind := pick(r, "", autoscalingv2.AverageValueMetricType, autoscalingv2.ValueMetricType)
	scaler, err := scalers.NewCronScaler(&scalersconfig.ScalerConfig{MetricType: kind, TriggerMetadata: map[string]string{
		"start": s.Start, "end": s.End, "timezone": s.Zone, "desiredReplicas": fmt.Sprint(s.Replicas),
	}})
	if err != nil {
		t.Fatal(err)
	}
	target := scaler.GetMetricSpecForScaling(t.Context())[0].External.Target
	if s.Target.Type = hpa.TargetType(target.Type); s.Target.Type == hpa.Value {
		s.Target.Value = target.Value.MilliValue()
	} else {
		s.Target.Value = target.AverageValue.MilliValue()
	}
	for range polls {
		if r.IntN(2) == 0 {
			time.Sleep(time.Duration(r.Int64N(int64(500 * time.Hour))))
		} else {
			time.Sleep(time.Now().Truncate(15 * time.Minute).Add(15 * time.Minute * time.Duration(1+r.IntN(4))).Sub(time.Now()))
		}
		values, active, err := scaler.GetMetricsAndActivity(t.Context(), "cron")
		if err != nil {
			t.Fatal(err)
		}
		s.Asks = append(s.Asks, CronAsk{time.Now().UTC(), values[0].Value.MilliValue(), active})
	}
	return s
}
