// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestWrongParametersHaveTheirPath(t *testing.T) {
	one, two := newScene(4).world(), newScene(4, 4).world()
	slow := World{Pools: one.Pools, ScrapeInterval: 30 * time.Second, Delay: 15 * time.Second}
	for name, tc := range map[string]struct {
		policy     string
		parameters []string
		world      World
		want       []string
	}{
		"a policy that does not exist": {"hetero-scale", nil, one, []string{
			`policy.policy: Invalid value: "hetero-scale": unknown policy; there are ` + strings.Join(policies.Names(), ", ") + `; did you mean "heteroscale"?`}},
		"no replicas": {"fixed", nil, one, []string{
			`policy.parameters[replicas]: Required value: state the replicas, such as 4, or of prefill and decode, such as 2:6`}},
		"replicas of one pool for two": {"fixed", []string{"replicas=4"}, two, []string{
			`policy.parameters[replicas]: Invalid value: "4": must have the replicas of prefill:decode with colons between them, such as 2:6`}},
		"replicas out of bounds": {"fixed", []string{"replicas=101"}, one, []string{
			`policy.parameters[replicas]: Invalid value: "101": 101 replicas are not within the bounds of pool pool, 1 to 100`}},
		"a schedule out of order": {"schedule", []string{"at=6h=8,5h=2"}, one, []string{
			`policy.parameters[at]: Invalid value: "6h=8,5h=2": 5h must be later than the time before it`}},
		"a schedule without times": {"schedule", []string{"at=8"}, one, []string{
			`policy.parameters[at]: Invalid value: "8": "8" must be a time and the replicas from then on, such as 6h=8`}},
		"a schedule longer than its period": {"schedule", []string{"at=0s=1,25h=2", "period=24h", "offset=24h"}, one, []string{
			`policy.parameters[at]: Invalid value: "0s=1,25h=2": 25h must be less than period, 24h0m0s`,
			`policy.parameters[offset]: Invalid value: "24h": must be less than period`}},
		"a ratio for one pool": {"heteroscale", []string{"prefillShare=1"}, one, []string{
			`policy.parameters[prefillShare]: Invalid value: "1": must not be set for one pool: it is of the ratio of prefill to decode`}},
		"a ratio of nothing": {"heteroscale", []string{"prefillShare=0", "targetDecodeTPS=0"}, two, []string{
			`policy.parameters[targetDecodeTPS]: Invalid value: "0": must be a number from 0.001 to 1000000000`,
			`policy.parameters[prefillShare]: Invalid value: "0": must be a whole number of at least 1`}},
		"the seed for one pool": {"heteroscale-seed", nil, one, []string{
			`policy.policy: Invalid value: "heteroscale-seed": the policy needs a prefill and a decode pool; the unit has one pool`}},
		"a window too short for two samples": {"utilization", nil, slow, []string{
			`policy.parameters[window]: Invalid value: "1m0s": must be at least 1m15s: samples are taken each 30s and are read 15s later, and two are needed`}},
		"no target of latencies": {"latency", nil, one, []string{
			`policy.policy: Invalid value: "latency": there is no target: set parameter ttft or tbt, or targets in slos`}},
		"no target of tokens": {"tokens-per-second", []string{"promptTarget=5"}, two, []string{
			`policy.parameters[generatedTarget]: Required value: state what one replica is to do: about 0.7 of the rate at which it is saturated`}},
		"thresholds in the wrong order": {"queue-length", []string{"low=9"}, one, []string{
			`policy.parameters[low]: Invalid value: "9": must be less than target`}},
		"no capacity": {"predictive", []string{"capacity:decode=2", "method=seasonal"}, two, []string{
			`policy.parameters[capacity]: Required value: state the requests per second that one replica serves within its targets`,
			`policy.parameters[period]: Required value: state the time after which the rates repeat, such as 24h`}},
		"a capacity of no pool": {"predictive", []string{"capacity=1", "capacity:decoder=2", "period=90s"}, two, []string{
			`policy.parameters[capacity:decoder]: Invalid value: "decoder": unknown pool; there are prefill, decode; did you mean "decode"?`,
			`policy.parameters[period]: Invalid value: "90s": must be a multiple of step, 1m0s, and at least twice as long`}},
		"targets beside thresholds of the load": {"dynamo-planner", []string{"ttft_ms=100", "enable_load_scaling=true"}, one, []string{
			`policy.parameters[ttft_ms]: Forbidden: has no effect without optimization_target=sla`,
			`policy.parameters[enable_load_scaling]: Forbidden: has no effect without optimization_target=sla`}},
		"a load loop that does not run": {"dynamo-planner", []string{"optimization_target=sla", "load_predictor=constant", "load_scaling_down_sensitivity=50", "kalman_r=5"}, one, []string{
			`policy.parameters[load_scaling_down_sensitivity]: Forbidden: has no effect without enable_load_scaling=true`,
			`policy.parameters[kalman_r]: Forbidden: has no effect without load_predictor=kalman`}},
		"no loop": {"dynamo-planner", []string{"optimization_target=sla", "enable_throughput_scaling=false"}, one, []string{
			`policy.parameters[enable_throughput_scaling]: Invalid value: "false": one of enable_throughput_scaling and enable_load_scaling must be true`}},
		"a predictor of a library": {"dynamo-planner", []string{"optimization_target=sla", "load_predictor=prophet"}, one, []string{
			`policy.parameters[load_predictor]: Forbidden: ` + otherPredictors}},
		"the predictor that is the default": {"dynamo-planner", []string{"optimization_target=sla"}, one, []string{
			`policy.parameters[load_predictor]: Required value: ` + otherPredictors}},
		"thresholds that lack": {"dynamo-planner", []string{"optimization_target=load", "decode_scale_up_kv_rate=5", "decode_scale_down_kv_rate=50"}, two, []string{
			`policy.parameters[prefill_scale_up_queue_tokens]: Required value: optimization_target=load needs it`,
			`policy.parameters[prefill_scale_down_queue_tokens]: Required value: optimization_target=load needs it`,
			`policy.parameters[decode_scale_up_kv_rate]: Invalid value: "5": must be greater than decode_scale_down_kv_rate`}},
		"roles of one pool": {"dynamo-planner", []string{"prefill_min_endpoint=2"}, one, []string{
			`policy.parameters[prefill_min_endpoint]: Forbidden: has no effect without a pool of its own for prefill: state min_endpoint`}},
		"names of older planners": {"dynamo-planner", []string{"ttft=500ms", "load_adjustment_interval_seconds=5", "backend=vllm", "total_gpu_power_limit=900"}, one, []string{
			`policy.parameters[ttft]: Forbidden: is called ttft_ms, in milliseconds`,
			`policy.parameters[load_adjustment_interval_seconds]: Forbidden: is called interval of the scaler, such as 5s`,
			`policy.parameters[backend]: Forbidden: has no effect here: the scenario has the engines and the pools, and the model of an engine is that of the simulated one. Take it away`,
			`policy.parameters[total_gpu_power_limit]: Forbidden: is not simulated: take it away`}},
		"weights of another method": {"predictive", []string{"capacity=1", "method=seasonal", "period=1h", "alpha=0.2", "gamma=0.2"}, one, []string{
			`policy.parameters[alpha]: Forbidden: has no effect with method=seasonal: it takes the rate one period ago as it was`,
			`policy.parameters[gamma]: Forbidden: has no effect with method=seasonal: it takes the rate one period ago as it was`}},
		"the weight of a season without a period": {"predictive", []string{"capacity=1", "gamma=0.2", "alpha=0.2"}, one, []string{
			`policy.parameters[gamma]: Forbidden: has no effect without period: there is no season`}},
		"late tokens without their trigger": {"heteroscale", []string{"latencyTrigger=false", "panicFactor=2", "quantile=0.9"}, two, []string{
			`policy.parameters[panicFactor]: Forbidden: has no effect with latencyTrigger=false`,
			`policy.parameters[quantile]: Forbidden: has no effect with latencyTrigger=false`}},
		"late tokens of the seed without their trigger": {"heteroscale-seed", []string{"latencyTrigger=false", "tbtSLOSeconds=2", "panicThreshold=2"}, two, []string{
			`policy.parameters[tbtSLOSeconds]: Forbidden: has no effect with latencyTrigger=false`,
			`policy.parameters[panicThreshold]: Forbidden: has no effect with latencyTrigger=false`}},
		"no future": {"predictive-oracle", []string{"capacity=1"}, one, []string{
			`policy.policy: Invalid value: "predictive-oracle": the policy needs the true arrival rate of the future, which this scenario does not give: use predictive`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Load(Spec{tc.policy, values(tc.parameters)}, tc.world, field.NewPath("policy"))
			if diff := cmp.Diff(tc.want, texts(errs)); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongTriggersHaveTheirPath(t *testing.T) {
	world := newScene(4).world()
	world.HasTargets = false
	for name, tc := range map[string]struct {
		trigger    string
		parameters []string
		want       []string
	}{
		"a trigger that does not exist": {"queues", nil, []string{`trigger.name: Invalid value: "queues": unknown trigger; there are queue, attainment, utilization, rate; did you mean "queue"?`}},
		"no targets":                    {"attainment", nil, []string{`trigger.name: Invalid value: "attainment": no request has a target: set slos, or targets of a tenant`}},
		"shares in the wrong order": {"utilization", []string{"below=0.95", "for=-1s"}, []string{
			`trigger.parameters[for]: Invalid value: "-1s": must be a duration such as 50ms`,
			`trigger.parameters[below]: Invalid value: "0.95": must be less than above`}},
		"a reference that is too short": {"rate", []string{"window=1m", "reference=1m"}, []string{`trigger.parameters[reference]: Invalid value: "1m": must be at least twice as long as window`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := LoadTrigger(Spec{tc.trigger, values(tc.parameters)}, world, field.NewPath("trigger"))
			if diff := cmp.Diff(tc.want, texts(errs)); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func texts(errs field.ErrorList) (all []string) {
	for _, e := range errs {
		all = append(all, e.Error())
	}
	return all
}

func TestEachPolicyAndTriggerIsDescribed(t *testing.T) {
	for _, d := range append(Describe(), DescribeTriggers()...) {
		if d.Help == "" {
			t.Errorf("%s has no help", d.Name)
		}
		for _, p := range d.Parameters {
			if p.Help == "" {
				t.Errorf("parameter %s of %s has no help", p.Name, d.Name)
			}
		}
	}
}

// The window of a policy is the longest that it reads.
func TestTheWindowOfAPolicy(t *testing.T) {
	s := newScene(4)
	for name, want := range map[string]time.Duration{"utilization": time.Minute, "fixed": 0, "saturation": 0} {
		parameters := map[string][]string{"fixed": {"replicas=2"}}[name]
		if got := loaded(t, name, s.world(), parameters...).Window; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
