// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/flowcontrol"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A ManifestField is a field of a scaler that holds a manifest of a kind.
type ManifestField struct {
	Name string
	Kind manifest.Kind
	// Of is where a scaler has the source of the manifest.
	Of func(*v1alpha1.Scaler) **v1alpha1.ManifestSource
}

// NameOf is what a manifest of a scaler is called by: the name of the scaler, with the field of a
// ConfigMap, which may come with another manifest.
func (f *ManifestField) NameOf(scaler string) string {
	if f.Kind == manifest.ConfigMap {
		return scaler + "." + f.Name
	}
	return scaler
}

// ManifestFields are all there are.
var ManifestFields = []ManifestField{
	{"horizontalPodAutoscaler", manifest.HorizontalPodAutoscaler, func(s *v1alpha1.Scaler) **v1alpha1.ManifestSource { return &s.HorizontalPodAutoscaler }},
	{"scaledObject", manifest.ScaledObject, func(s *v1alpha1.Scaler) **v1alpha1.ManifestSource { return &s.ScaledObject }},
	{"podAutoscaler", manifest.PodAutoscaler, func(s *v1alpha1.Scaler) **v1alpha1.ManifestSource { return &s.PodAutoscaler }},
	{"workloadVariantAutoscaler", manifest.ConfigMap, func(s *v1alpha1.Scaler) **v1alpha1.ManifestSource { return &s.WorkloadVariantAutoscaler }},
}

// isUnread reports whether a scaler has a manifest with faults that are reported already: its text
// is empty.
func isUnread(s *v1alpha1.Scaler) bool {
	return slices.ContainsFunc(ManifestFields, func(f ManifestField) bool {
		source := *f.Of(s)
		return source != nil && source.Inline != nil && *source.Inline == ""
	})
}

// readManifest reads the manifest of a resolved scaler that sets the replicas, which is the first
// in the order of the fields; nil where a policy scales.
func readManifest(s *v1alpha1.Scaler, path *field.Path) (*manifest.Manifest, *field.Path, field.ErrorList) {
	for _, f := range ManifestFields {
		if source := *f.Of(s); source != nil && source.Inline != nil {
			at := path.Child(f.Name)
			m, errs := manifest.Read(f.Kind, []byte(*source.Inline), at)
			return m, at, errs
		}
	}
	return nil, path, nil
}

// hasBounds reports whether a manifest of a scaler bounds the replicas.
func hasBounds(s *v1alpha1.Scaler) bool {
	return s.HorizontalPodAutoscaler != nil || s.ScaledObject != nil || s.PodAutoscaler != nil
}

// replicaBounds are the bounds of a scaler's replicas; 0 where the manifest has faults.
func replicaBounds(s *v1alpha1.Scaler) (least, most int) {
	if hasBounds(s) {
		if m, _, errs := readManifest(s, nil); m != nil && len(errs) == 0 {
			return m.Min, m.Max
		}
		return 0, 0
	}
	least = 1
	if s.MinReplicas != nil {
		least = int(*s.MinReplicas)
	}
	return least, int(s.MaxReplicas)
}

// loadManifest makes the scaler of a unit of a manifest.
func loadManifest(in *v1alpha1.Scenario, router *Routing, s *v1alpha1.Scaler, c *simulator.Config, u *simulator.ScaledUnit, path *field.Path) (window time.Duration, errs field.ErrorList) {
	errs = besideManifest(s, path)
	if isUnread(s) {
		return 0, errs
	}
	config, es := manifestConfig(in, router, s, c, path)
	if errs = append(errs, es...); len(errs) > 0 {
		return 0, errs
	}
	u.Scaler, u.Interval = config.New(), config.Interval
	return config.Window, nil
}

// manifestConfig reads the manifest of a scaler, and the queries of its metrics. Without the simulated
// pools, what it makes is not to be run.
func manifestConfig(in *v1alpha1.Scenario, router *Routing, s *v1alpha1.Scaler, c *simulator.Config, path *field.Path) (*manifest.Config, field.ErrorList) {
	m, at, errs := readManifest(s, path)
	if len(errs) > 0 {
		return nil, errs
	}
	queries := map[string]string{}
	for name, q := range s.Metrics.Queries {
		queries[name] = string(q)
	}
	adapter := manifest.Adapter{Queries: queries, Sync: s.Interval.Duration(), Targets: query.Targets{InferencePool: s.Pools[0]}, Start: in.Horizon.StartTime.Time()}
	adapter.Targets.EPP = exportingEPP(in, router, s.Pools[0])
	for i := range in.Pools {
		if p := &in.Pools[i]; slices.Contains(s.Pools, p.Name) {
			adapter.Targets.Pools = append(adapter.Targets.Pools, query.Pool{Name: p.Name, Model: p.Model, Pods: endpointNames(in, p)})
		}
	}
	adapter.Variants = variantsOf(in, s, c)
	adapter.Queue = adapter.Targets.EPP != nil && adapter.Targets.EPP.FlowControl
	if m.IsManaged() {
		adapter.Targets.Variant = s.Pools[0]
	}
	if s.WorkloadVariantAutoscaler != nil && m.Kind != manifest.ConfigMap {
		adapter.Targets.Variant, adapter.AnalyserPath = s.Pools[0], path.Child("workloadVariantAutoscaler")
		if adapter.Analyser, errs = manifest.Read(manifest.ConfigMap, []byte(*s.WorkloadVariantAutoscaler.Inline), adapter.AnalyserPath); len(errs) > 0 {
			return nil, errs
		}
	}
	return m.Load(adapter, at, path.Child("metrics", "queries"))
}

// variantsOf are the pools of a scaler as an analyser by tokens sees them.
func variantsOf(in *v1alpha1.Scenario, s *v1alpha1.Scaler, c *simulator.Config) []manifest.Variant {
	var all []manifest.Variant
	for _, name := range s.Pools {
		i := slices.IndexFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Name == name })
		if i < 0 || c == nil {
			continue
		}
		p, simulated := &in.Pools[i], &c.Pools[i]
		v := manifest.Variant{KVTokens: simulated.KVTokens(), Inventory: inventory(in, p)}
		v.Name, v.Role, v.Accelerator, v.GPUs = p.Name, wva.Both, p.Accelerator, max(1, int(p.TensorParallelism))
		if role := podLabels(p)[roleLabel]; role == wva.Prefill || role == wva.Decode {
			v.Role = role
		}
		if v.Cost, _ = strconv.ParseFloat(string(p.CostPerReplicaHour), 64); v.Cost == 0 {
			v.Cost = wva.DefaultCost
		}
		v.BatchedTokens, v.Sequences = int64(simulated.MaxNumBatchedTokens), int64(simulated.MaxNumSeqs)
		all = append(all, v)
	}
	return all
}

// inventory counts the accelerators that the node pool of a pool may have, or is -1 without one.
func inventory(in *v1alpha1.Scenario, p *v1alpha1.Pool) int {
	for i := range in.NodePools {
		if n := &in.NodePools[i]; n.Name == p.NodePool {
			return int(n.MaxNodes * n.AcceleratorsPerNode)
		}
	}
	return -1
}

// exportingEPP is what decides which metrics the EPP of a pool's router exports; nil where
// policies route, or where the router has faults.
func exportingEPP(in *v1alpha1.Scenario, router *Routing, pool string) *query.EPP {
	parts, _ := Parts(in, nil)
	at := slices.IndexFunc(parts, func(p Part) bool { return hasPool(p.Scenario, pool) })
	if at < 0 || router == nil {
		return nil
	}
	config := router.Of(&parts[at]).EPPConfig
	if config == nil {
		return nil
	}
	return Exporter(config, parts[at].Scenario)
}

func hasPool(in *v1alpha1.Scenario, name string) bool {
	return slices.ContainsFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Name == name })
}

// Exporter is what decides which metrics an EPP exports for the pools of its router.
func Exporter(config *config.Config, in *v1alpha1.Scenario) *query.EPP {
	e := &query.EPP{Version: config.Dialect, FlowControl: config.FlowControlled(), Producers: config.LoadProducers()}
	for _, d := range epp.ScopedDetectors(config) {
		e.Detectors = append(e.Detectors, query.Detector(d))
	}
	if in.Router.Priority == nil && !anyTrace(&in.Workload, func(Trace) bool { return true }) {
		e.Priorities = priorities(&in.Workload)
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		e.Endpoints = append(e.Endpoints, endpointNames(in, p)...)
		prefills, decodes := flowcontrol.PoolsOf(podLabels(p)[roleLabel])
		e.Prefills, e.Decodes = e.Prefills || prefills, e.Decodes || decodes
	}
	return e
}

// validateStartTime says what is wrong with the time at which a run starts.
func validateStartTime(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	start := in.Horizon.StartTime
	if start == "" {
		return nil
	}
	if start.Time().IsZero() {
		return field.ErrorList{field.Invalid(path, start, "must be a date and a time, such as 2026-01-05T08:00:00Z")}
	}
	for i := range in.Scalers {
		if m, _, errs := readManifest(&in.Scalers[i], nil); len(errs) > 0 || m != nil && m.IsTimed() {
			return nil
		}
	}
	return field.ErrorList{field.Invalid(path, start, "has no effect: no scaler has a ScaledObject with a cron trigger")}
}

// besideManifest says what cannot be set together with a manifest.
func besideManifest(s *v1alpha1.Scaler, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	only := func(has bool, name string) {
		if has {
			errs = append(errs, field.Forbidden(path.Child(name), "goes with policy; a manifest has its own"))
		}
	}
	only(s.MinReplicas != nil && hasBounds(s), "minReplicas")
	only(s.MaxReplicas != 0 && hasBounds(s), "maxReplicas")
	only(len(s.Parameters) > 0, "parameters")
	only(s.Trigger != nil, "trigger")
	if len(s.Pools) > 1 && !mayBeByTokens(s) {
		errs = append(errs, field.Invalid(path.Child("pools"), strings.Join(s.Pools, ", "), "a manifest scales one pool: state a scaler with a manifest of its own for each. Only workloadVariantAutoscaler alone, with the analyser by tokens, scales two pools together: prefill and decode, or variants of a model"))
	}
	if s.ScaledObject != nil && s.Interval.Duration()%time.Second != 0 {
		errs = append(errs, field.Invalid(path.Child("interval"), s.Interval, "must be whole seconds with a ScaledObject, as its pollingInterval is"))
	}
	return errs
}

// mayBeByTokens reports whether the analyser by tokens alone sets the replicas of a scaler, or may do
// so once the faults of its manifest are mended.
func mayBeByTokens(s *v1alpha1.Scaler) bool {
	if s.WorkloadVariantAutoscaler == nil || hasBounds(s) {
		return false
	}
	m, _, errs := readManifest(s, nil)
	return isUnread(s) || len(errs) > 0 || m.IsByTokens()
}

// manifestNotes say where the target of a manifest has another name than the pool, what of its
// queries has no effect, and which analysers would be one.
func manifestNotes(in *v1alpha1.Scenario, router *Routing, path *field.Path) []string {
	notes := analyserNotes(in, path)
	for i := range in.Scalers {
		s := &in.Scalers[i]
		m, at, errs := readManifest(s, path.Child("scalers").Index(i))
		if m == nil || len(errs) > 0 {
			continue
		}
		if config, errs := manifestConfig(in, router, s, nil, path.Child("scalers").Index(i)); len(errs) == 0 {
			notes = append(notes, config.Notes...)
		}
		if m.Kind != manifest.ConfigMap && m.Target != s.Pools[0] {
			notes = append(notes, fmt.Sprintf("%s: the manifest scales %s, which stands for pool %s", at.Child("spec", "scaleTargetRef", "name"), m.Target, s.Pools[0]))
		}
	}
	return notes
}

// analyserNotes say which scalers have analysers that are one in a cluster, and where an interval
// has no effect.
func analyserNotes(in *v1alpha1.Scenario, path *field.Path) []string {
	var notes []string
	models := map[string]string{}
	for i := range in.Scalers {
		s, at := &in.Scalers[i], path.Child("scalers").Index(i)
		if s.WorkloadVariantAutoscaler == nil {
			continue
		}
		if m, _, errs := readManifest(s, at); !hasBounds(s) && len(errs) == 0 && s.Interval.Duration() != m.Interval() && s.Interval.Duration() != defaultScalerInterval {
			notes = append(notes, fmt.Sprintf("%s: has no effect: the analyser decides every %s", at.Child("interval"), m.Interval()))
		}
		model := in.Pools[slices.IndexFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Name == s.Pools[0] })].Model
		if other, twice := models[model]; twice {
			notes = append(notes, fmt.Sprintf("%s: scaler %s scales a pool of the same model: the workload-variant-autoscaler weighs the pools of a model together, and here each pool alone. One scaler of both pools, without an autoscaler, weighs them together", at.Child("workloadVariantAutoscaler"), other))
		}
		models[model] = s.Name
	}
	return notes
}

// withTextOfManifests returns a scaler of a tree with the texts of its manifests in place of
// the documents.
func withTextOfManifests(scaler Tree) Tree {
	own := maps.Clone(scaler)
	for _, f := range ManifestFields {
		if document, is := scaler[f.Name].(Tree); is && document["inline"] == nil {
			own[f.Name] = Tree{"inline": manifest.Close(f.Kind, document)}
		}
	}
	return own
}
