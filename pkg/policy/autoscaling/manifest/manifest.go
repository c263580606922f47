// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/aibrix"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// A Manifest is an object without faults. It is immutable.
type Manifest struct {
	Kind Kind
	// Target is the name of what it scales; empty for a ConfigMap.
	Target string
	// Min and Max bound the replicas. Min is what KEDA leaves without activity, for a
	// ScaledObject. A ConfigMap has no bounds.
	Min, Max int
	// Notes say what is only near to what a cluster does.
	Notes []string
	// Ignored are the entries of a ConfigMap that have no effect.
	Ignored []string
	// Unread are the metadata of triggers that KEDA does not read.
	Unread []Unread
	// NotSimulated are the parts of the object that are valid in a cluster and that no simulation
	// has. Only what [Inspect] returns has any.
	NotSimulated field.ErrorList

	document tree
	hpa      hpa.Spec
	keda     keda.Spec
	wva      wva.Config
	// tokens is nil where the analyser of a ConfigMap is that by percentages.
	tokens  *wva.TokensConfig
	limiter limiter
	// managed is nil where no annotation gives the object to an analyser.
	managed *managed
	// aibrix is what a PodAutoscaler says, and sampled are its metrics.
	aibrix  aibrix.Config
	sampled []sampled
	metrics []metric
	// formula is that about the triggers of KEDA; empty if it has no formula.
	formula string
}

// Unread is a field that has no effect in a cluster.
type Unread struct {
	Path   *field.Path
	Reason string
}

// metric is where a metric of the autoscaler, or a trigger of KEDA, has its values from.
type metric struct {
	// name is that of an adapter's metric, or a query.
	name string
	// called is what the manifest calls a trigger; empty where it has no name.
	called string
	// selector is what the labels of the series must be. selectorAt leads to it, and is nil where
	// there can be none.
	selector   []query.Requirement
	selectorAt func(*field.Path) *field.Path
	// nullFails says that a trigger fails whose query has no value.
	nullFails bool
	// cron is where a trigger of KEDA has no query.
	cron *keda.Cron
	// at leads from the object to the name.
	at func(*field.Path) *field.Path
	// entry is the place of the metric or the trigger in its list.
	entry int
}

// Read reads the one object of a kind in a text. Errors have the paths of its fields under
// path. What is valid in a cluster and cannot be simulated is an error.
func Read(kind Kind, raw []byte, path *field.Path) (*Manifest, field.ErrorList) {
	m, errs := Inspect(kind, raw, path)
	if m != nil {
		errs = append(errs, m.NotSimulated...)
	}
	return noneIfFaulty(m, errs)
}

// Inspect is Read for an object that is not simulated: errors are about what a cluster refuses. What a
// cluster takes and no simulation has is in [Manifest.NotSimulated], and the rest is read.
func Inspect(kind Kind, raw []byte, path *field.Path) (*Manifest, field.ErrorList) {
	if kind == ConfigMap {
		return noneIfFaulty(readConfigMap(raw, path))
	}
	t, errs := find(kind, raw, path)
	if len(errs) > 0 {
		return nil, errs
	}
	w := newWalker(kind)
	if isFirstHPA(t) {
		w.first(part(t, "spec"), path)
	} else {
		w.object(t, "", path)
	}
	w.errs = append(w.errs, checkBounds(kind, part(t, "spec"), path.Child("spec"))...)
	if len(w.errs) > 0 {
		return nil, append(w.errs, w.notSimulated...)
	}
	m := &Manifest{
		Kind: kind, Notes: w.notes, Target: words(t, "spec", "scaleTargetRef", "name"), NotSimulated: w.notSimulated, Unread: w.unread,
		document: tree{"apiVersion": t["apiVersion"], "kind": t["kind"], "spec": t["spec"]},
	}
	if errs := m.readManaged(t, path); len(errs) > 0 {
		return nil, errs
	}
	switch kind {
	case HorizontalPodAutoscaler:
		errs = m.readHPA(part(t, "spec"), path.Child("spec"))
	case ScaledObject:
		errs = m.readScaledObject(t, path)
	default:
		errs = m.readPodAutoscaler(t, path)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return m, nil
}

// checkBounds says whether the minimum of a spec, be it faulty elsewhere, is above the maximum.
func checkBounds(kind Kind, spec tree, path *field.Path) field.ErrorList {
	lower, upper := "minReplicas", "maxReplicas"
	if kind == ScaledObject {
		lower, upper = "minReplicaCount", "maxReplicaCount"
	}
	least, bounded := number(spec[lower])
	most, known := number(spec[upper])
	if kind == ScaledObject && spec[upper] == nil {
		most, known = defaultMaxReplicaCount, true
	}
	if bounded && known && most > 0 && least > most {
		return field.ErrorList{field.Invalid(path.Child(lower), least, fmt.Sprintf("must be at most %s, %d", upper, most))}
	}
	return nil
}

func noneIfFaulty(m *Manifest, errs field.ErrorList) (*Manifest, field.ErrorList) {
	if len(errs) > 0 {
		return nil, errs
	}
	return m, nil
}

// Canonical writes what counts of the object the one way that equal objects share.
func (m *Manifest) Canonical() string { return Close(m.Kind, m.document) }

// Metric is a metric that a manifest asks for.
type Metric struct {
	// Name is that of an adapter's metric, or a query.
	Name string
	// Target is where it comes from and what it aims at.
	Target hpa.Metric
	// Path is that of the target within the object.
	Path *field.Path
	// IsQuery says that Name is the query of a trigger.
	IsQuery bool
	// Selected are the labels that the selector of the metric names.
	Selected []string
}

// Metrics are those of the manifest, in its order.
func (m *Manifest) Metrics() []Metric {
	var all []Metric
	for i, x := range m.metrics {
		if m.Kind == HorizontalPodAutoscaler {
			target := m.hpa.Metrics[i]
			at := field.NewPath("spec", "metrics").Index(x.entry).Child(sourceFields[target.Source], "target")
			all = append(all, Metric{Name: x.name, Target: target, Path: at, Selected: x.selected()})
			continue
		}
		at := field.NewPath("spec", "triggers").Index(x.entry).Child("metadata")
		target := "threshold"
		if x.cron != nil {
			target = "desiredReplicas"
		}
		aim := m.keda.Triggers[i].Metric
		if m.keda.Modifiers != nil {
			aim.Target = hpa.Target{} // that of the formula is in force
		}
		all = append(all, Metric{Name: x.name, Target: aim, Path: at.Child(target), IsQuery: x.cron == nil})
	}
	return all
}

// selected are the labels that the selector names.
func (m *metric) selected() []string {
	var all []string
	for i := range m.selector {
		all = append(all, m.selector[i].Label)
	}
	return all
}

// Autoscaler is the autoscaler of the manifest: the one that KEDA makes of a ScaledObject.
func (m *Manifest) Autoscaler() hpa.Spec {
	if m.Kind == HorizontalPodAutoscaler {
		return m.hpa
	}
	made, _ := keda.Convert(m.keda)
	return made
}

// Analyser is the analyser of a ConfigMap.
func (m *Manifest) Analyser() wva.Config { return m.wva }

// IsByTokens reports whether the analyser of a ConfigMap is the one by tokens.
func (m *Manifest) IsByTokens() bool { return m.tokens != nil }

// Interval is the time between two decisions of the analyser of a ConfigMap.
func (m *Manifest) Interval() time.Duration {
	if m.IsByTokens() {
		return wva.TokensInterval
	}
	return wva.Interval
}

// EntryPath is where the fields of the analyser stand in the ConfigMap.
func (m *Manifest) EntryPath() *field.Path { return field.NewPath("data", defaultEntry) }

// BehaviorPath is where the rules of its autoscaler stand.
func (m *Manifest) BehaviorPath() *field.Path {
	if m.Kind == HorizontalPodAutoscaler {
		return field.NewPath("spec", "behavior")
	}
	return field.NewPath("spec", "advanced", "horizontalPodAutoscalerConfig", "behavior")
}

// KEDA is the object of KEDA; nil where the manifest is a HorizontalPodAutoscaler.
func (m *Manifest) KEDA() *keda.Spec {
	if m.Kind == HorizontalPodAutoscaler {
		return nil
	}
	spec := m.keda
	return &spec
}

// IsTimed reports whether the manifest asks for the time of the calendar.
func (m *Manifest) IsTimed() bool {
	return slices.ContainsFunc(m.metrics, func(x metric) bool { return x.cron != nil })
}

// refuses returns what says which entries of lists cannot be read, and whether a cluster takes them.
func (k Kind) refuses() func(*Field, tree, *field.Path) (err *field.Error, valid bool) {
	if k == HorizontalPodAutoscaler {
		return refuseResource
	}
	return refuseTrigger
}

// part returns an object within an object; nil where it is not there.
func part(t tree, names ...string) tree {
	for _, name := range names {
		t, _ = t[name].(tree)
	}
	return t
}

// entries returns the objects of a list.
func entries(t tree, name string) []tree {
	list, _ := t[name].([]any)
	all := make([]tree, len(list))
	for i := range list {
		all[i] = list[i].(tree)
	}
	return all
}

// isRefused reports whether an entry of a list is one that no simulation has.
func (m *Manifest) isRefused(path *field.Path) bool {
	return slices.ContainsFunc(m.NotSimulated, func(e *field.Error) bool { return e.Field == path.String() || e.Field == path.Child("type").String() })
}

// words returns a text that a path leads to; empty where it leads to nothing.
func words(t tree, names ...string) string {
	last := len(names) - 1
	s, _ := part(t, names[:last]...)[names[last]].(string)
	return s
}

// wholeOr returns a whole number of an object, or another one where it is not there.
func wholeOr(t tree, name string, otherwise int64) int64 {
	if n, ok := number(t[name]); ok {
		return n
	}
	return otherwise
}
