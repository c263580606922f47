// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

// The series of these tests have a sample each minute, and Prometheus evaluates the rules as often.
const (
	alertsFile = "../../config/prometheus/alerts.yaml"
	every      = time.Minute
)

// alertCases are what Prometheus scrapes, and the summaries of the alerts that fire after a time.
var alertCases = map[string]struct {
	series []string
	after  time.Duration
	want   []string
}{
	"a manager leads, and nothing fails": {
		[]string{`leader_election_master_status{name="manager.windtunnel.dev"} 1x60`, `controller_runtime_reconcile_errors_total{controller="policysweep"} 7x60`}, time.Hour, nil,
	},
	"the leader is gone for less than ten minutes": {[]string{leads + `1x20 0x9`}, 30 * time.Minute, nil},
	"the leader is gone":                           {[]string{leads + `1x20 0x11`}, 31 * time.Minute, []string{"No Windtunnel manager works"}},
	"nothing was ever scraped":                     {[]string{`up 1x60`}, 11 * time.Minute, []string{"No Windtunnel manager works"}},
	"a controller fails twelve times a minute": {
		[]string{led, `controller_runtime_reconcile_errors_total{controller="policysweep"} 0+12x60`, `controller_runtime_reconcile_errors_total{controller="other"} 0+12x60`},
		30 * time.Minute, []string{"Windtunnel's controller policysweep fails repeatedly"},
	},
	"a reconcile hangs": {
		[]string{led, `workqueue_longest_running_processor_seconds{controller="simulationrun"} 0+60x60`},
		12 * time.Minute, []string{"A reconcile of Windtunnel's controller simulationrun has run for over five minutes"},
	},
	"two sweeps are blocked for half an hour": {
		[]string{led, `windtunnel_objects{namespace="team",kind="PolicySweep",state="Blocked"} 2x60`, `windtunnel_objects{namespace="team",kind="PolicySweep",state="Running"} 9x60`},
		30 * time.Minute, []string{"2 of kind PolicySweep in namespace team wait for resources of the cluster"},
	},
	"a run fails": {
		[]string{led, `windtunnel_time_to_end_seconds_count{kind="SimulationRun",outcome="Failed"} 3x10 4x20`, `windtunnel_time_to_end_seconds_count{kind="PolicySweep",outcome="Complete"} 0+1x60`},
		12 * time.Minute, []string{"SimulationRuns have failed"},
	},
	"a run failed an hour ago": {[]string{led, `windtunnel_time_to_end_seconds_count{kind="SimulationRun",outcome="Failed"} 3x10 4x60`}, time.Hour, nil},
	"results are missing": {
		[]string{led, `windtunnel_objects{namespace="team",kind="SimulationRun",state="ResultMissing"} 1x9`},
		2 * time.Minute, []string{"Results of SimulationRuns in namespace team are missing or changed"},
	},
	"the API server fails writes": {
		[]string{led, `windtunnel_api_writes_total{object="jobs",result="error"} 0+12x60`, `windtunnel_api_writes_total{object="pods",result="success"} 0+12x60`},
		30 * time.Minute, []string{"The API server fails Windtunnel's writes of jobs"},
	},
	"the cluster is as predicted": {[]string{led, `windtunnel_prediction_drift{run="chat",instance="a"} 0x60`}, time.Hour, nil},
	"the cluster drifts from one of two runs, and two nodes have copies of the file": {
		[]string{
			led, `windtunnel_prediction_drift{run="chat",instance="a"} 0x60`, `windtunnel_prediction_drift{run="chat \"2\"",instance="a"} 0x5 1x60`,
			`windtunnel_prediction_drift{run="chat \"2\"",instance="b"} 0x5 1x60`,
		},
		6 * time.Minute, []string{`The cluster is not as run chat "2" predicts`},
	},
	"the drift is over": {[]string{led, `windtunnel_prediction_drift{run="chat",instance="a"} 1x9 0x60`}, 20 * time.Minute, nil},
}

const (
	leads = `leader_election_master_status{name="manager.windtunnel.dev"} `
	led   = leads + `1x60`
)

// TestAlertsFire has Prometheus evaluate the shipped rules.
func TestAlertsFire(t *testing.T) {
	file := rulesOf(t, alertsFile)
	fired := map[string]bool{}
	for name, tc := range alertCases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, alert := range firing(t, file, tc.series, tc.after) {
				got = append(got, alert.Annotations.Get("summary"))
				fired[alert.Labels.Get("alertname")] = true
				if text := alert.Annotations.String(); strings.Contains(text, "error expanding") {
					t.Errorf("a text cannot be made: %s", text)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tc.want) {
				t.Errorf("%q fire after %s, want %q", got, tc.after, tc.want)
			}
		})
	}
	raw, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Count(string(raw), "- alert: "); len(fired) != all {
		t.Errorf("%d of %d alerts fire in one of the cases", len(fired), all)
	}
}

// rulesOf writes the rules of a PrometheusRule as Prometheus itself reads them, and returns the file.
func rulesOf(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var object struct{ Spec yaml.Node }
	if err := yaml.Unmarshal(raw, &object); err != nil {
		t.Fatal(err)
	}
	if raw, err = yaml.Marshal(&object.Spec); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// firing are the alerts that fire after a time, beside series in the notation of Prometheus' tests.
func firing(t *testing.T, file string, series []string, after time.Duration) []*rules.Alert {
	t.Helper()
	syntax := parser.NewParser(parser.Options{})
	load := fmt.Sprintf("load %s\n  %s\n", every, strings.Join(series, "\n  "))
	loader, err := promqltest.NewLazyLoader(load, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true, Parser: syntax})
	if err != nil {
		t.Fatal(err)
	}
	defer loader.Close()
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(loader.QueryEngine(), loader.Storage()), AppendableV2: loader.Storage(), Context: t.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: promslog.NewNopLogger(), Parser: syntax,
	})
	groups, errs := manager.LoadGroups(every, labels.EmptyLabels(), "", nil, false, file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for at := time.Unix(0, 0); !at.After(time.Unix(0, 0).Add(after)); at = at.Add(every) {
		loader.WithSamplesTill(at, func(err error) {
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range groups {
				group.Eval(t.Context(), at)
			}
		})
	}
	var alerts []*rules.Alert
	for _, group := range groups {
		for _, rule := range group.Rules() {
			if err := rule.LastError(); err != nil {
				t.Errorf("%s: %v", rule.Name(), err)
			}
			for _, alert := range rule.(*rules.AlertingRule).ActiveAlerts() {
				if alert.State == rules.StateFiring {
					alerts = append(alerts, alert)
				}
			}
		}
	}
	return alerts
}
