// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/admission"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/policy/priority"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
)

// layoutOf is what the programs of a component see.
func layoutOf(name sandbox.Component, c *bundle.Component, names sandbox.Names) *sandbox.Layout {
	switch name {
	case sandbox.Admission:
		return sandbox.AdmissionLayout(names)
	case sandbox.Priority:
		return sandbox.PriorityLayout(names)
	case sandbox.Scheduler:
		return sandbox.SchedulerLayout(names)
	case sandbox.Autoscale:
		return sandbox.AutoscaleLayout()
	}
	layout := sandbox.RoutingLayout(names)
	spec := native.ProgramSpec{Names: names, Load: func(l *sandbox.Layout) (sandbox.Code, field.ErrorList) {
		layout = l
		return sandbox.Unread{}, nil
	}}
	signals := c.AllSignals()
	for i := range signals {
		s := &signals[i]
		spec.Signals = append(spec.Signals, native.ProgramSignal{Field: s.FieldName(), Name: s.Name, Parameters: bundle.Texts(s.Parameters)})
	}
	_, _ = native.LoadProgram(spec, nil) // whose signals were checked with the scenario
	return layout
}

// valid reports whether a component that was changed can be loaded.
func (p *part) valid(c *bundle.Component) bool {
	var errs field.ErrorList
	switch b := c.BuiltIn; {
	case c.DecisionTree != nil:
		_, errs = tree.Load(c.DecisionTree.Root, p.layout, nil)
	case b == nil:
	case p.name == sandbox.Routing:
		_, errs = native.Load(nativeSpec(b), nil)
	case p.name == sandbox.Admission:
		names := admission.Names{Tenants: p.with.Names.Tenants, Classes: p.with.Names.Classes, Selected: true, Stability: true}
		_, errs = admission.Load(admission.Spec{Policy: b.Policy, Parameters: bundle.Texts(b.Parameters)}, names, nil)
	case p.name == sandbox.Priority:
		world := priority.World{Tenants: p.with.Names.Tenants, Classes: p.with.Names.Classes, Selected: true}
		_, errs = priority.Load(priority.Spec{Policy: b.Policy, Parameters: bundle.Texts(b.Parameters)}, world, nil)
	case p.name == sandbox.Scheduler:
		_, errs = scheduling.Load(scheduling.Spec{Scheduler: b.Policy, Parameters: bundle.Texts(b.Parameters), Victim: b.Victim}, nil)
	}
	return len(errs) == 0
}

func nativeSpec(b *bundle.BuiltIn) native.Spec {
	spec := native.Spec{Policy: b.Policy, Parameters: bundle.Texts(b.Parameters)}
	if b.Weights == bundle.Normalized {
		spec.Mode = native.ModeNormalised
	}
	for _, s := range b.Scorers {
		spec.Scorers = append(spec.Scorers, native.Scorer{Name: s.Name, Weight: s.Weight, Parameters: bundle.Texts(s.Parameters)})
	}
	return spec
}

// An option is a field that a tree may read, with its usual size.
type option struct {
	name  string
	scale float64
	// whole says that the field has whole numbers, and ofRow that it may differ from row to
	// row.
	whole, ofRow bool
	// labels are the names of a label; none are those of a number.
	labels []string
}

// options are the fields of a layout, as trees write them. Names are among them where trees
// may ask for any.
func options(l *sandbox.Layout, anyLabel bool) []option {
	var all []option
	for i := range l.Groups {
		for _, f := range l.Groups[i].Fields {
			o := newOption(l.Groups[i].Name+"."+f.Name, &f)
			if f.Kind != sandbox.Label || anyLabel && len(f.Labels) > 1 {
				all = append(all, o)
			}
		}
	}
	if l.Rows == nil {
		return all
	}
	for _, f := range l.Rows.Fields {
		if f.Kind == sandbox.Label || f.Name == "number" {
			continue
		}
		o := newOption(l.Rows.Name+"."+f.Name, &f)
		if l.Answer.Many() {
			own := o
			own.ofRow = true
			all = append(all, own)
		}
		for _, over := range []string{".min", ".max", ".mean"} {
			of := o
			of.name += over
			of.whole = o.whole && over != ".mean"
			all = append(all, of)
		}
	}
	return all
}

func newOption(name string, f *sandbox.Field) option {
	return option{name: name, scale: scaleOf(f), whole: f.Kind == sandbox.Integer, labels: f.Labels}
}

// scales are usual sizes of fields. They only say where a search begins to look.
var scales = map[string]float64{
	"in_flight": 16, "in_flight_tokens": 20_000, "waiting": 4, "running": 16, "blocks": 10_000, "block_tokens": 16,
	"transfers": 2, "transfer_delay": 0.1, "scrape_age": 0.1, "age": 1, "ttft_target": 1, "tpot_target": 0.05, "priority": 1,
	"arrival_rate": 10, "admission_rate": 10, "rejection_rate": 10, "turn": 100, "arrival": 60, "deadline": 60,
	"role": 2, "stage": 2, "ttft_seconds": 1, "tpot_seconds": 0.05, "estimated_wait_seconds": 1, "offload_bytes": 1e9,
	"wanted": 4, "ready": 4, "min": 4, "max": 4, "last_change": 60,
}

func scaleOf(f *sandbox.Field) float64 {
	scale, known := scales[f.Name]
	switch {
	case known:
		return scale
	case f.Name == "tokens" || strings.HasSuffix(f.Name, "_tokens"):
		return 2000
	case f.Kind == sandbox.Integer:
		return 8
	}
	return 0.5 // most others are shares
}
