// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	policy "windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// Bounds of a live run: it takes pods, for as long as its scenario lasts.
const (
	maxLiveReplicas = 100
	maxLiveTime     = 24 * time.Hour
)

// pickerPath is that of the EPP's configuration.
var pickerPath = field.NewPath("spec", "scenario", "router", "endpointPickerConfig")

// RoleLabel is the label by which an EPP of llm-d tells replicas that prefill from those that decode.
const RoleLabel = "llm-d.ai/role"

// pickerFlags are flags of an EPP that a rehearsal sets, or that would undo what it sets.
var pickerFlags = []string{
	"pool-name", "pool-namespace", "config-file", "config-text", "secure-serving", "grpc-port", "grpc-health-port",
	"metrics-port", "metrics-endpoint-auth", "tracing", "refresh-metrics-interval", "endpoint-selector", "endpoint-target-ports", "ha-enable-leader-election",
}

// Live has the plan of a run measured as its execution says: by the operator alone.
func Live(run *v1alpha1.SimulationRun, plan *experiment.Plan) error {
	in := run.Spec.Execution.Live
	if in == nil {
		return nil
	}
	text, _, err := PickerText(plan)
	if err != nil {
		return err
	}
	plan.Live = &experiment.Live{
		Image: in.Image, EndpointPickerConfig: string(text),
		Args:       append([]string{"--refresh-metrics-interval=" + string(run.Spec.Scenario.Router.MetricsRefreshInterval)}, in.Args...),
		Priorities: StatesPriorities(&run.Spec.Scenario.Workload),
	}
	for i := range run.Spec.Scenario.Pools {
		pool := &run.Spec.Scenario.Pools[i]
		labels := map[string]string{"llm-d.ai/engine-type": "vllm"}
		for key, value := range pool.Labels {
			labels[key] = string(value)
		}
		if pool.Role != "" {
			labels[RoleLabel] = strings.ToLower(string(pool.Role))
		}
		plan.Live.Pools = append(plan.Live.Pools, experiment.LivePool{Name: pool.Name, Replicas: pool.Replicas, Labels: labels})
	}
	return nil
}

// checkLive refuses what a live run cannot do.
func checkLive(spec *v1alpha1.SimulationRunSpec, seeds int, path *field.Path) field.ErrorList {
	live := spec.Execution.Live
	if live == nil {
		return nil
	}
	execution := path.Child("execution")
	errs := append(checkLiveScenario(&spec.Scenario, path.Child("scenario")), CheckPickerArgs(live.Args, execution.Child("live", "args"))...)
	forbid := func(is bool, at *field.Path, why string) {
		if is {
			errs = append(errs, field.Forbidden(at, why))
		}
	}
	forbid(spec.Execution.Shards > 1, execution.Child("shards"), "a live run has one shard: leave it out")
	forbid(spec.Execution.ManagedBy != "", execution.Child("managedBy"), "the pods of replicas are in this cluster: leave it out")
	forbid(seeds > 1 || spec.Replications.Precision != "", path.Child("replications"), "a live run has one seed")
	forbid(len(spec.ReuseFrom) > 0, path.Child("reuseFrom"), "a live run measures: leave it out")
	forbid(spec.Trace.Level != "" && spec.Trace.Level != v1alpha1.MinimalTrace, path.Child("trace", "level"), "a live run keeps no traces: leave it out")
	forbid(spec.Trace.Series != nil, path.Child("trace", "series"), "a live run keeps no time series: leave it out")
	return errs
}

// checkLiveScenario refuses what pods do not do as the scenario says.
func checkLiveScenario(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	errs := CheckRehearsed(in, path)
	duration := path.Child("horizon", "duration")
	switch {
	case in.Horizon.Duration == "":
		errs = append(errs, field.Required(duration, "a live run takes this time at most"))
	case in.Horizon.Duration.Duration() > maxLiveTime:
		errs = append(errs, field.Invalid(duration, in.Horizon.Duration, fmt.Sprintf("must be at most %gh: a live run takes this time", maxLiveTime.Hours())))
	}
	return append(errs, checkLivePools(in.Pools, path.Child("pools"))...)
}

// CheckRehearsed refuses what a real EPP before replicas that stay does not do as the scenario says.
func CheckRehearsed(in *v1alpha1.Scenario, path *field.Path) (errs field.ErrorList) {
	router := path.Child("router")
	for _, no := range []struct {
		is  bool
		at  *field.Path
		why string
	}{
		{len(in.Routers) > 0, path.Child("routers"), "a rehearsal has one router"},
		{in.Route != nil, path.Child("route"), "a rehearsal has one router: leave it out"},
		{in.Router.Policies != nil, router.Child("policies"), "a rehearsal has an EPP, configured by endpointPickerConfig: leave it out"},
		{in.Router.Admission != nil, router.Child("admission"), "a rehearsal has no gateway: leave it out"},
		{in.Router.Priority != nil, router.Child("priority"), "a rehearsal has no gateway: leave it out"},
		{in.Router.Adaptive != nil, router.Child("adaptive"), "the EPP's weights do not change: leave it out"},
		{in.Router.Replicas > 1, router.Child("replicas"), "a rehearsal has one EPP: leave it out"},
		{in.Router.Signals == v1alpha1.OracleSignals, router.Child("signals"), "a real EPP reads metrics in intervals: leave it out"},
		{len(in.Scalers) > 0, path.Child("scalers"), "a rehearsal scales no replicas; on a cluster, scale the Deployment of the pool with an object of your own: leave it out"},
		{len(in.Disruptions) > 0, path.Child("disruptions"), "a rehearsal does not disturb replicas: leave it out"},
	} {
		if no.is {
			errs = append(errs, field.Forbidden(no.at, no.why))
		}
	}
	return errs
}

// StatesPriorities is whether a workload may have priorities: a trace has those of its rows.
func StatesPriorities(in *v1alpha1.Workload) bool {
	return in.Trace != nil || len(in.Traces) > 0 ||
		slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.Priority != 0 }) ||
		slices.ContainsFunc(in.Tenants, func(t v1alpha1.Tenant) bool { return ptr.Deref(t.Priority, 0) != 0 })
}

// checkLiveEvents refuses an EPP that reads KV events where no replica of a live run publishes them.
func checkLiveEvents(plan *experiment.Plan) (errs field.ErrorList) {
	_, picker, err := PickerText(plan)
	if err != nil {
		return field.ErrorList{field.InternalError(pickerPath, err)}
	}
	for _, w := range policy.PreciseWirings(picker) {
		events := pickerPath.Child("plugins").Index(w.Index).Child("parameters", "kvEventsConfig")
		forbid := func(is bool, at *field.Path, why string) {
			if w.Hears && is {
				errs = append(errs, field.Forbidden(at, why))
			}
		}
		s, ports := w.Sockets, events.Child("podDiscoveryConfig")
		forbid(s.Listens != "", events.Child("zmqEndpoint"), fmt.Sprintf("the EPP of a live run reads KV events at port %d of each replica: use podDiscoveryConfig", experiment.LiveEventsPort))
		forbid(s.Listens == "" && s.Port != experiment.LiveEventsPort, ports.Child("socketPort"), fmt.Sprintf("the replicas of a live run publish at port %d", experiment.LiveEventsPort))
		forbid(s.ReplayPort > 0, ports.Child("replaySocketPort"), "the replicas of a live run keep no events for a reader that missed some: leave it out")
		forbid(s.Engine != "" && s.Engine != "vllm", events.Child("engineType"), "the replicas publish KV events as vllm does")
	}
	return errs
}

func checkLivePools(pools []v1alpha1.Pool, path *field.Path) (errs field.ErrorList) {
	replicas := int32(0)
	for i := range pools {
		if replicas += pools[i].Replicas; replicas > maxLiveReplicas {
			errs = append(errs, field.Invalid(path.Index(i).Child("replicas"), pools[i].Replicas, fmt.Sprintf("a live run has at most %d replicas in all, each a pod", maxLiveReplicas)))
		}
		if pools[i].DataParallelism > 0 {
			errs = append(errs, field.Forbidden(path.Index(i).Child("dataParallelism"), "each replica of a live run is one endpoint: leave it out"))
		}
	}
	return errs
}

// CheckPickerArgs refuses flags that a rehearsal sets.
func CheckPickerArgs(args []string, path *field.Path) (errs field.ErrorList) {
	for i, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && slices.Contains(pickerFlags, name) {
			errs = append(errs, field.Forbidden(path.Index(i), fmt.Sprintf("a rehearsal sets --%s: leave it out", name)))
		}
	}
	return errs
}

// PickerText is the EndpointPickerConfig of a plan: the text that the run states, since an EPP may
// refuse a field that the text has not. Where settings have changed it, it is the one that is simulated,
// which is loaded.
func PickerText(plan *experiment.Plan) (text []byte, loaded *config.Config, err error) {
	tree, err := plan.ScenarioAt(experiment.Point{}, 1)
	if err != nil {
		return nil, nil, err
	}
	router, _ := tree["router"].(map[string]any)
	document, is := router["endpointPickerConfig"].(map[string]any)
	if !is {
		return nil, nil, field.Required(pickerPath, "a real EPP needs the configuration of one EPP")
	}
	loaded, errs := setup.LoadEPPConfig(document, pickerPath)
	if len(errs) > 0 {
		return nil, nil, errs.ToAggregate()
	}
	document = maps.Clone(document) // the plan's own
	version, _ := document[setup.VersionField].(string)
	delete(document, setup.VersionField)
	simulated, err := yaml.Marshal(document)
	if err != nil {
		return nil, nil, err
	}
	if text := UnwrappedPicker(plan.Pickers[experiment.PickerKey{}].Text); bytes.Equal(simulated, loadedConfig(text, version)) {
		return text, loaded, nil
	}
	return simulated, loaded, nil
}

// UnwrappedPicker is the text of an EndpointPickerConfig, without what it stands in.
func UnwrappedPicker(text []byte) []byte {
	if sources, err := files.Find(text); err == nil && len(sources) == 1 {
		return sources[0].Text
	}
	return text
}

// loadedConfig is a configuration as an EPP of a version loads it; nil where it does not.
func loadedConfig(text []byte, version string) []byte {
	loaded, errs := policy.Load(text, version, field.NewPath("endpointPickerConfig"))
	if len(errs) > 0 {
		return nil
	}
	document, err := yaml.Marshal(loaded)
	if err != nil {
		return nil
	}
	return document
}
