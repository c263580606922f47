// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/dynamo"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// readDynamoPlanner reads the fields of PlannerConfig (config/planner_config.py).
func readDynamoPlanner(l *loader) func() Scaler {
	d := dynamoPlanner{names: l.names(), advisory: l.flag("advisory", false, "whether the planner only says what it would do")}
	for _, p := range l.world.Pools {
		d.models = append(d.models, p.Model)
	}
	c := &d.config
	c.Target = dynamo.Target(l.Choice("optimization_target", "what the planner goes by: thresholds of the load for high throughput, for low latency, or that are stated; or targets of latencies", "throughput", "latency", "load", "sla"))
	readTargets(l, c)
	seconds := l.Count("throughput_adjustment_interval_seconds", 180, "the seconds between two forecasts, and over which traffic is measured")
	d.interval = time.Duration(seconds) * time.Second
	l.windowOf("throughput_adjustment_interval_seconds", d.interval)
	readPredictor(l, c)
	readThresholds(l, c)
	c.MaxGPUs = l.Integer("max_gpu_budget", 8, "the accelerators of all replicas at most; a negative number is no bound")
	c.MinGPUs = l.Integer("min_gpu_budget", -1, "the accelerators of all replicas at least; a negative number is no bound")
	readMinima(l, c)
	l.refuseFields()
	d.due = simtime.Time(d.interval)
	return func() Scaler {
		one := d
		var limits []dynamo.Limits
		var models []dynamo.Forward
		for k := range one.models {
			limits, models = append(limits, one.models[k].limits()), append(models, stepModel{&one.models[k], &one.lengths})
		}
		one.planner = dynamo.New(one.config, limits, models)
		return &one
	}
}

// only adds an error for each parameter that is stated though another parameter makes it have no effect.
func (l *loader) only(has bool, what string, names ...string) {
	if !has {
		l.noEffect("without "+what, names...)
	}
}

// readTargets reads what only counts with targets of latencies.
func readTargets(l *loader, c *dynamo.Config) {
	c.TTFT = l.Positive("ttft_ms", 500, "the target of the time to first token in milliseconds")
	c.ITL = l.Positive("itl_ms", 50, "the target of the time between tokens in milliseconds")
	c.Throughput = l.flag("enable_throughput_scaling", true, "whether the throughput loop runs: it counts replicas for the traffic that it forecasts")
	c.Load = l.flag("enable_load_scaling", false, "whether the load loop runs: it adds and takes away one replica by the latencies of the next request, and keeps to what the throughput loop wants at least")
	c.Sensitivity = l.Between("load_scaling_down_sensitivity", 0, 100, 80, "the percentage of a target that the latencies which the load loop foresees with one replica fewer must stay below")
	isSLA := c.Target == dynamo.SLA
	l.only(isSLA, "optimization_target=sla", "ttft_ms", "itl_ms", "enable_throughput_scaling", "enable_load_scaling", "load_scaling_down_sensitivity")
	if isSLA {
		l.only(c.Load, "enable_load_scaling=true", "load_scaling_down_sensitivity")
	}
	if isSLA && !c.Load && !c.Throughput {
		l.Invalid("enable_throughput_scaling", "one of enable_throughput_scaling and enable_load_scaling must be true")
	}
}

// otherPredictors says what becomes of predictors that are not simulated.
const otherPredictors = "arima, which is the planner's default, and prophet fit models by libraries of Python and are not simulated: state kalman, which is the nearest, or constant"

// readPredictor reads how traffic is forecast.
func readPredictor(l *loader, c *dynamo.Config) {
	method := l.Word("load_predictor", "", "how requests and lengths are forecast, by kalman: a Kalman filter of level and trend; or constant: as those of the last interval")
	p := &c.Predictor
	p.Kalman = method == "kalman"
	p.Log1p = l.flag("load_predictor_log1p", false, "whether kalman filters the logarithm of one more")
	p.QLevel = l.Between("kalman_q_level", 0, 1e9, 1, "the variance of a step of the level")
	p.QTrend = l.Between("kalman_q_trend", 0, 1e9, 0.1, "the variance of a step of the trend")
	p.R = l.Positive("kalman_r", 10, "the variance of an observation")
	p.MinPoints = l.Count("kalman_min_points", 5, "the intervals before which kalman is constant")
	of := []string{"load_predictor_log1p", "kalman_q_level", "kalman_q_trend", "kalman_r", "kalman_min_points"}
	counts := c.Target == dynamo.SLA && c.Throughput
	l.only(counts, "optimization_target=sla and its throughput loop", append(of, "load_predictor")...)
	switch {
	case !counts:
	case method == "":
		l.Require("load_predictor", otherPredictors)
	case method == "arima" || method == "prophet":
		l.Forbid("load_predictor", otherPredictors)
	case method != "constant" && !p.Kalman:
		l.Invalid("load_predictor", "must be kalman or constant")
	default:
		l.only(p.Kalman, "load_predictor=kalman", of...)
	}
}

// readThresholds reads those of optimization_target=load.
func readThresholds(l *loader, c *dynamo.Config) {
	isLoad, disaggregated := c.Target == dynamo.Load, len(l.world.Pools) > 1
	c.PrefillUp = l.Whole("prefill_scale_up_queue_tokens", 0, 0, "the prompt tokens that wait in a prefill replica from which on there is one replica more")
	c.PrefillDown = l.Whole("prefill_scale_down_queue_tokens", 0, 0, "the prompt tokens that wait in each up to which there is one fewer")
	c.DecodeUp = l.Between("decode_scale_up_kv_rate", 0, 100, 0, "the percentage of the KV cache that another replica has in use or waits for, from which on there is one replica more")
	c.DecodeDown = l.Between("decode_scale_down_kv_rate", 0, 100, 0, "that of each up to which there is one fewer")
	prefill, decode := []string{"prefill_scale_up_queue_tokens", "prefill_scale_down_queue_tokens"}, []string{"decode_scale_up_kv_rate", "decode_scale_down_kv_rate"}
	l.only(isLoad, "optimization_target=load", append(prefill, decode...)...)
	if !isLoad {
		return
	}
	l.only(disaggregated, "a pool of its own for prefill", prefill...)
	if disaggregated {
		l.requirePair(prefill, c.PrefillUp > c.PrefillDown)
	}
	l.requirePair(decode, c.DecodeUp > c.DecodeDown)
}

// requirePair requires two thresholds of optimization_target=load, of which the first must be the greater one.
func (l *loader) requirePair(names []string, ordered bool) {
	for _, name := range names {
		l.Require(name, "optimization_target=load needs it")
	}
	if l.stated(names[0]) && l.stated(names[1]) && !ordered {
		l.Invalid(names[0], "must be greater than "+names[1])
	}
}

// readMinima reads the least replicas of each role.
func readMinima(l *loader, c *dynamo.Config) {
	all := l.Whole("min_endpoint", 0, 1, "the least replicas of each pool; the scaler's minReplicas holds too")
	prefill := l.Whole("prefill_min_endpoint", 1, max(1, all), "those of prefill, in place of min_endpoint")
	decode := l.Whole("decode_min_endpoint", 1, max(1, all), "those of decode, in place of min_endpoint")
	c.Min = []int{all, all}[:max(1, len(l.world.Pools))]
	if len(c.Min) < 2 {
		l.only(false, "a pool of its own for prefill: state min_endpoint", "prefill_min_endpoint", "decode_min_endpoint")
		return
	}
	if l.stated("prefill_min_endpoint") {
		c.Min[0] = prefill
	}
	if l.stated("decode_min_endpoint") {
		c.Min[1] = decode
	}
}

// renamed are names of older planners, and of Windtunnel's policy before, with those of today.
var renamed = [][2]string{
	{"ttft", "ttft_ms, in milliseconds"}, {"itl", "itl_ms, in milliseconds"}, {"optimizationTarget", "optimization_target"},
	{"throughput_adjustment_interval", "throughput_adjustment_interval_seconds"}, {"throughputInterval", "throughput_adjustment_interval_seconds, in seconds"},
	{"loadLoop", "enable_load_scaling"}, {"scaleDownSensitivity", "load_scaling_down_sensitivity, in percent"}, {"predictor", "load_predictor"},
	{"qLevel", "kalman_q_level"}, {"qTrend", "kalman_q_trend"}, {"r", "kalman_r"},
	{"load_adjustment_interval_seconds", "interval of the scaler, such as 5s"}, {"load_adjustment_interval", "interval of the scaler, such as 5s"},
}

// unusedFields are those of PlannerConfig that say where the planner runs and what it reads and reports, or that
// fit its model, which is known here.
var unusedFields = []string{
	"mode", "environment", "namespace", "backend", "model_name", "log_dir", "control_api_port", "throughput_metrics_source", "pre_deployment_sweeping_mode",
	"profile_results_dir", "aic_interpolation", "aic_perf_model", "max_num_fpm_samples", "fpm_sample_bucket_size", "load_min_observations", "speculative_nextn",
	"prefill_engine_num_gpu", "decode_engine_num_gpu", "metric_reporting_prometheus_port", "report_interval_hours", "report_output_dir", "report_filename",
	"report_write_gzip_log", "live_dashboard_port", "prophet_window_size",
}

// otherFields are those of which the behaviour is not simulated.
var otherFields = []string{
	"global_planner_namespace", "load_predictor_warmup_trace", "enable_power_awareness", "total_gpu_power_limit", "scheduling", "plugin_registration",
}

func (l *loader) refuseFields() {
	for _, name := range renamed {
		l.Refuse(name[0], "is called "+name[1])
	}
	for _, name := range unusedFields {
		l.Refuse(name, "has no effect here: the scenario has the engines and the pools, and the model of an engine is that of the simulated one. Take it away")
	}
	for _, name := range otherFields {
		l.Refuse(name, "is not simulated: take it away")
	}
}
