// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Criteria is what a plan wants to know of its simulations.
type Criteria struct {
	Objectives  []result.Objective
	Constraints []result.Constraint
	Gates       []Gate
	// Features are what MAPElites tells behaviours apart by.
	Features []result.Measure
	// Precision is the measure of a wanted precision, if there is one.
	Precision *result.Measure
	// Uses are all measures, each at the path of the field that names it.
	Uses []use
}

// Gate is a claim about points of the plan.
type Gate struct {
	result.Gate
	Subject v1alpha1.GateSubject
	// Point is what GateOfPoint is about.
	Point []v1alpha1.Assignment
}

// use is a measure that a field names.
type use struct {
	Measure result.Measure
	Path    *field.Path
}

// Criteria reads what the plan asks. Errors are beneath spec, the path of the
// object's.
func (p *Plan) Criteria(spec *field.Path) (*Criteria, field.ErrorList) {
	derived := make([]result.Derived, len(p.Metrics))
	for i, m := range p.Metrics {
		derived[i] = result.Derived{Name: m.Name, Expression: m.Expression}
	}
	measures, errs := result.NewMeasures(derived, spec.Child("metrics"))
	if len(errs) > 0 {
		return nil, errs
	}
	r := &criteriaReader{measures: measures, Criteria: &Criteria{}}
	r.demand(derived, spec.Child("metrics"))
	for i, o := range p.Objectives {
		measure := r.measure(o.Metric, spec.Child("objectives").Index(i).Child("metric"))
		r.Objectives = append(r.Objectives, result.Objective{Measure: measure, Direction: result.Direction(o.Direction)})
		for _, under := range p.underEach(measure) {
			r.note(under, spec.Child("objectives").Index(i).Child("metric"), nil)
		}
	}
	for i, c := range p.Constraints {
		at := spec.Child("constraints").Index(i)
		constraint, errs := measures.Constraint(c.Metric, string(c.Operator), string(c.Value), at)
		r.Constraints = append(r.Constraints, constraint)
		r.note(constraint.Measure, at.Child("metric"), errs)
	}
	for i, g := range p.Gates {
		at := spec.Child("gates").Index(i)
		claim, errs := measures.Gate(result.GateText{
			Name: g.Name, Metric: g.Metric, Operator: string(g.Operator),
			Value: string(g.Value), VersusBaseline: string(g.VersusBaseline), Confidence: string(g.Confidence),
			ModelError: string(g.ModelError),
		}, at)
		if before := p.counterpart(claim.Measure); len(errs) == 0 && claim.Relative && before != claim.Measure {
			claim.Counterpart = before
			r.note(before, at.Child("metric"), nil)
			if before.IsAmount() {
				errs = append(errs, field.Invalid(at.Child("versusBaseline"), string(g.VersusBaseline), fmt.Sprintf(
					"%s is an amount, of which the pool has a part as great as its traffic: state value, or %s of all pools", claim.Measure, before)))
			}
		}
		r.Gates = append(r.Gates, Gate{claim, g.Subject, g.Point})
		r.note(claim.Measure, at.Child("metric"), errs)
	}
	if p.Search != nil {
		for i, f := range p.Search.Features {
			r.Features = append(r.Features, r.measure(f.Metric, spec.Child("search", "features").Index(i).Child("metric")))
		}
	}
	if p.Precision != nil {
		measure := r.measure(p.Precision.Metric, spec.Child("replications", "metric"))
		r.Precision = &measure
	}
	return r.Criteria, r.errs
}

// criteriaReader gathers what is asked.
type criteriaReader struct {
	*Criteria
	measures result.Measures
	errs     field.ErrorList
}

// demand notes what derived metrics take that is measured on demand, whether something
// uses them or not.
func (r *criteriaReader) demand(derived []result.Derived, path *field.Path) {
	for i, d := range derived {
		measure, _ := r.measures.Parse(d.Name, path)
		for _, metric := range measure.Uses() {
			if metric.OnDemand() {
				r.note(result.Of(metric), path.Index(i).Child("expression"), nil)
			}
		}
	}
}

// measure reads the measure that a field names.
func (r *criteriaReader) measure(text string, path *field.Path) result.Measure {
	measure, errs := r.measures.Parse(text, path)
	r.note(measure, path, errs)
	return measure
}

func (r *criteriaReader) note(measure result.Measure, path *field.Path, errs field.ErrorList) {
	r.errs = append(r.errs, errs...)
	if len(errs) == 0 {
		r.Uses = append(r.Uses, use{measure, path})
	}
}

// Metrics are those that rows must hold for all that is asked.
func (a *Criteria) Metrics() []result.Metric {
	var metrics []result.Metric
	for _, u := range a.Uses {
		metrics = append(metrics, u.Measure.Uses()...)
	}
	return metrics
}
