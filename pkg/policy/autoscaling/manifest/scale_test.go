// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const scrape = 15 * time.Second

// monday is half a minute before eight.
var monday = time.Date(2026, time.January, 5, 7, 59, 30, 0, time.UTC)

// llama is a pool of 100 places.
var llama = func() query.Targets {
	p := query.Pool{Name: "llama", Model: "llama"}
	for i := range 100 {
		p.Pods = append(p.Pods, fmt.Sprintf("llama/%d", i))
	}
	return query.Targets{InferencePool: "llama", Pools: []query.Pool{p}}
}()

// play asks the scaler of a manifest at each sample of a queue, a step of its interval each.
// New replicas serve after two steps. A negative queue is no sample. It returns what was
// wanted each time, and the last reason.
func play(t *testing.T, kind Kind, text string, replicas int, waiting []int) (wanted, why []string) {
	t.Helper()
	m, errs := Read(kind, []byte(text), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	config, errs := m.Load(Adapter{Sync: scrape, Targets: llama, Start: monday}, nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return playConfig(config, m.Min, m.Max, replicas, waiting)
}

func playConfig(config *Config, least, most, replicas int, waiting []int) (wanted, why []string) {
	scaler := config.New()
	p := autoscaling.Pool{Endpoints: 100, Min: least, Max: most, Wanted: replicas}
	view := autoscaling.View{Monitor: autoscaling.NewMonitor(100, scrape, 0, config.Window)}
	for i := range replicas {
		p.Replicas = append(p.Replicas, autoscaling.Replica{Endpoint: i, Stage: autoscaling.Serving})
	}
	for step, n := range waiting {
		view.Now = simtime.Time(step+1) * simtime.Time(config.Interval)
		if n >= 0 {
			s := view.Monitor.Take(view.Now)
			for i := range s.Engines {
				s.Engines[i] = autoscaling.Engine{}
			}
			for _, r := range p.Replicas {
				if r.Stage.Serves() {
					s.Engines[r.Endpoint] = autoscaling.Engine{Up: true, Started: r.Ready, Waiting: n}
				}
			}
		}
		view.Pools = []autoscaling.Pool{p}
		next := []int{p.Wanted}
		reason := scaler.Scale(&view, next)
		wanted, why = append(wanted, fmt.Sprint(next[0])), append(why, string(reason))
		for i := range p.Replicas {
			if r := &p.Replicas[i]; r.Stage == autoscaling.Loading && view.Now.Sub(r.Created) >= 2*config.Interval {
				r.Stage, r.Ready = autoscaling.Serving, view.Now
			}
		}
		for len(p.Replicas) < next[0] {
			p.Replicas = append(p.Replicas, autoscaling.Replica{Endpoint: len(p.Replicas), Stage: autoscaling.Loading, Created: view.Now, Ready: simtime.Never})
		}
		p.Replicas, p.Wanted = p.Replicas[:next[0]], next[0]
	}
	return wanted, why
}

func TestScalers(t *testing.T) {
	pods := strings.NewReplacer("type: External", "type: Pods", "external:", "pods:").Replace(soundHPA)
	value := strings.Replace(soundHPA, `type: AverageValue, averageValue: "5"`, `type: Value, value: "5"`, 1)
	quick := strings.Replace(soundScaledObject, "  triggers:", "  cooldownPeriod: 30\n  pollingInterval: 15\n  triggers:", 1)
	for name, tc := range map[string]struct {
		kind     Kind
		text     string
		replicas int
		waiting  []int // of each replica
		want     string
		why      string
	}{
		"an external metric sums the replicas": {HorizontalPodAutoscaler, soundHPA, 2, []int{20}, "4",
			"from 2 to 4: vllm:num_requests_waiting is 20 for each replica, for a target of 5, which asks for 8; the rules allow no faster change (ScaleUpLimit)"},
		"replicas that load have a share in the average": {HorizontalPodAutoscaler, soundHPA, 2, []int{10, 10}, "4 4",
			"stays at 4: vllm:num_requests_waiting is 5 for each replica, for a target of 5, which asks for no change"},
		"replicas that load count as idle ones of a metric of pods": {HorizontalPodAutoscaler, pods, 2, []int{9, 9}, "4 4",
			"stays at 4: vllm:num_requests_waiting is 9 for each replica, for a target of 5, which asks for no change"},
		"a value is multiplied by those that are ready": {HorizontalPodAutoscaler, value, 2, []int{5, 5}, "4 4",
			"stays at 4: vllm:num_requests_waiting is 10, for a target of 5, which asks for no change"},
		"a selector sums some of the replicas": {HorizontalPodAutoscaler, strings.Replace(soundHPA, `waiting"}`, `waiting", selector: {matchLabels: {pod: llama/0}}}`, 1), 4, []int{20}, "4",
			"stays at 4: vllm:num_requests_waiting is 5 for each replica, for a target of 5, which asks for no change"},
		"a selector leaves replicas without a value": {HorizontalPodAutoscaler, strings.Replace(pods, `waiting"}`, `waiting", selector: {matchLabels: {pod: llama/0}}}`, 1), 4, []int{4}, "4",
			"stays at 4: vllm:num_requests_waiting is 4 for each replica, for a target of 5, which asks for no change"},
		"no sample is no value": {HorizontalPodAutoscaler, soundHPA, 2, []int{-1}, "2",
			"stays at 2: no value of vllm:num_requests_waiting (FailedGetExternalMetric)"},
		"the window of scaling down": {HorizontalPodAutoscaler, soundHPA, 2, []int{6, 0}, "3 3",
			"stays at 3: vllm:num_requests_waiting is 0 for each replica, for a target of 5, which asks for 0; held up by higher recommendations within the window of scaling down (ScaleDownStabilized)"},
		"the minimum": {HorizontalPodAutoscaler, strings.Replace(soundHPA, "  metrics:", "  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}\n  metrics:", 1), 3, []int{0}, "2",
			"from 3 to 2: vllm:num_requests_waiting is 0 for each replica, for a target of 5, which asks for 0; at least 2 (TooFewReplicas)"},
		"KEDA takes the last replica away after the cooldown": {ScaledObject, quick, 1, []int{1, 0, 0, 0, 0}, "1 1 1 0 0",
			"KEDA: no trigger is active; stays at 0: the autoscaler does nothing without replicas (ScalingDisabled)"},
		"KEDA waits for the first scrape": {ScaledObject, quick, 1, []int{-1}, "1", "stays at 1: no metric has been scraped yet"},
		"KEDA sees no queue of replicas that are not there": {ScaledObject, quick, 0, []int{9}, "0",
			"KEDA: no trigger is active; stays at 0: the autoscaler does nothing without replicas (ScalingDisabled)"},
		"several values are a failure of KEDA's trigger": {ScaledObject, strings.Replace(quick, "inference_pool_average_queue_size", `"vllm:num_requests_waiting"`, 1), 2, []int{9}, "2",
			"KEDA: no trigger is active; vllm:num_requests_waiting has 2 values instead of one; stays at 2: no value of vllm:num_requests_waiting (FailedGetExternalMetric)"},
		"a null value may be a failure": {ScaledObject, strings.NewReplacer(`threshold: "5"`, `threshold: "5", ignoreNullValues: "false"`, "inference_pool_average_queue_size", `"sum(vllm:num_requests_waiting)"`).Replace(quick), 0, []int{9}, "0",
			"KEDA: no trigger is active; sum(vllm:num_requests_waiting) has no value; stays at 0"},
		"KEDA asks the calendar, and waits for no scrape": {ScaledObject, cronScaledObject, 1, []int{-1, -1, -1, -1, -1, -1, -1}, "1 3 3 3 3 1 1",
			"KEDA: no trigger is active; stays at 1: cron 0 8 * * 1-5 to 1 8 * * 1-5 UTC is 0 for each replica, for a target of 1, which asks for 0; at least 1 (TooFewReplicas)"},
		"a pause at a count": {ScaledObject, annotated(quick, `paused-replicas: "4"`), 2, []int{9, 9}, "4 4", "stays at 4: the object is paused"},
		"a pause as it is":   {ScaledObject, annotated(quick, `paused: "true"`), 2, []int{9}, "2", "stays at 2: the object is paused"},
		"a pause of scaling in": {ScaledObject, annotated(quick, `paused-scale-in: "true"`), 1, []int{1, 0, 0, 0, 0, 0}, "1 1 1 1 1 1",
			"KEDA: no trigger is active; stays at 1: inference_pool_average_queue_size is 0"},
		"a pause of scaling out": {ScaledObject, annotated(quick, `paused-scale-out: "true"`), 2, []int{50}, "2",
			"KEDA: a trigger is active; stays at 2: inference_pool_average_queue_size is 25 for each replica, for a target of 5, which asks for 10"},
		"an activation by force": {ScaledObject, annotated(quick, `force-activation: "true"`), 0, []int{0}, "1",
			"KEDA: from 0 to 1: an annotation forces the activation"},
		"a formula makes one metric of two triggers": {ScaledObject, byFormula(quick, "queue > 8 ? queue + clock : 0"), 2, []int{20}, "4",
			"KEDA: a trigger is active; from 2 to 4: the formula queue > 8 ? queue + clock : 0 is 11.5 for each replica, for a target of 2, which asks for 12; the rules allow no faster change"},
		"a formula of a trigger without a value": {ScaledObject, byFormula(strings.Replace(quick, "inference_pool_average_queue_size", `"vllm:num_requests_waiting"`, 1), "queue + clock"), 2, []int{20}, "2",
			"KEDA: no trigger is active; queue has 2 values instead of one; stays at 2: no value of the formula queue + clock"},
		"KEDA asks a query": {ScaledObject, strings.Replace(quick, "inference_pool_average_queue_size", `'sum(vllm:num_requests_waiting{pod=~"llama/.*"})'`, 1), 2, []int{10}, "4",
			`KEDA: a trigger is active; from 2 to 4: sum(vllm:num_requests_waiting{pod=~"llama/.*"}) is 10 for each replica, for a target of 5, which asks for 4`},
	} {
		t.Run(name, func(t *testing.T) {
			wanted, why := play(t, tc.kind, tc.text, tc.replicas, tc.waiting)
			if diff := cmp.Diff(tc.want, strings.Join(wanted, " ")); diff != "" {
				t.Errorf("wanted (−want +got):\n%s\n%s", diff, strings.Join(why, "\n"))
			}
			if got := why[len(why)-1]; !strings.HasPrefix(got, tc.why) {
				t.Errorf("reason %q, want %q", got, tc.why)
			}
		})
	}
}

// KEDA polls, and the autoscaler syncs, at periods of their own.
func TestPeriodsOfKEDA(t *testing.T) {
	m, errs := Read(ScaledObject, []byte(strings.Replace(soundScaledObject, "  triggers:", "  pollingInterval: 20\n  triggers:", 1)), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	config, _ := m.Load(Adapter{Sync: scrape, Targets: llama}, nil, nil)
	if config.Interval != 5*time.Second {
		t.Fatalf("asked each %s", config.Interval)
	}
	scaler := config.New()
	view := autoscaling.View{Monitor: autoscaling.NewMonitor(100, scrape, 0, 0), Pools: []autoscaling.Pool{{Endpoints: 100, Max: 20}}}
	view.Monitor.Take(0)
	var polls, syncs []int
	for second := 5; second <= 60; second += 5 {
		view.Now = simtime.Time(second) * 1e9
		why := string(scaler.Scale(&view, []int{0}))
		if strings.Contains(why, "KEDA") {
			polls = append(polls, second)
		}
		if strings.Contains(why, "autoscaler") {
			syncs = append(syncs, second)
		}
	}
	if diff := cmp.Diff([][]int{{20, 40, 60}, {15, 30, 45, 60}}, [][]int{polls, syncs}); diff != "" {
		t.Errorf("polls and syncs (−want +got):\n%s", diff)
	}
}

// annotated returns an object with an annotation of KEDA.
func annotated(text, annotation string) string {
	return strings.Replace(text, "{name: llama}", "{annotations: {autoscaling.keda.sh/"+annotation+"}}", 1)
}

// byFormula returns an object with a second trigger, of 3 replicas, and a formula about both.
func byFormula(text, formula string) string {
	return strings.Replace(text, "  triggers:\n  - type: prometheus", `  advanced: {scalingModifiers: {target: "2", activationTarget: "5", formula: "`+formula+`"}}
  triggers:
  - type: cron
    name: clock
    metadata: {timezone: UTC, start: "0 7 * * *", end: "0 9 * * *", desiredReplicas: "3"}
  - type: prometheus
    name: queue`, 1)
}
