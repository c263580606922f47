// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
)

// source is a query of a metric, with its last answer.
type source struct {
	name, text string
	targets    query.Targets
	selector   []query.Requirement
	nullFails  bool
	// named says that the text is the name of a metric without a query.
	named bool
	// cron is what answers in place of a query, in a run that starts at a time.
	cron  *keda.Cron
	start time.Time

	query  *query.Query
	answer []query.Reading
}

// compile reads the query, which is at a path, for the series that the selector asks for.
func (s *source) compile(path, selector *field.Path) field.ErrorList {
	if s.cron != nil {
		return nil
	}
	q, err := query.Compile(s.text, s.targets, s.selector...)
	if err == nil {
		s.query = q
		return nil
	}
	var faults query.Faults
	if !errors.As(err, &faults) {
		return field.ErrorList{field.Invalid(path, s.text, err.Error())}
	}
	var errs field.ErrorList
	for _, f := range faults {
		if f.InSelector {
			errs = append(errs, field.Invalid(selector, field.OmitValueType{}, f.Text))
			continue
		}
		switch {
		case !s.named:
			errs = append(errs, field.Invalid(path, s.text, query.Faults{f}.Error()))
		case s.text == query.DesiredReplicas:
			errs = append(errs, field.Invalid(path, s.text, f.Text))
		default:
			errs = append(errs, field.Invalid(path, s.text, f.Text+"; state the query of a metric with another name in metrics.queries of the scaler"))
		}
	}
	return errs
}

// forRun returns sources whose queries belong to one run. They have no faults.
func forRun(all []source) []source {
	own := append([]source(nil), all...)
	for i := range own {
		own[i].answer = nil
		own[i].compile(nil, nil)
	}
	return own
}

// ask asks the query. Series that find several partners are no answer.
func (s *source) ask(view *autoscaling.View) {
	if s.cron != nil {
		at := s.start.Add(time.Duration(view.Now))
		s.answer = append(s.answer[:0], query.Reading{Endpoint: -1, Value: s.cron.Value(at)})
		return
	}
	answer, problem := s.query.Series(view)
	if problem != query.None {
		answer = nil
	}
	s.answer = answer
}
