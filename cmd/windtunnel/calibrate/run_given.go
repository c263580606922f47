// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"regexp"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// runLatency is as in a scenario's pool: what it says is given, and not fitted.
type runLatency struct {
	Model    v1alpha1.LatencyModel          `json:"model"`
	Roofline *v1alpha1.RooflineCoefficients `json:"roofline"`
}

// given returns the coefficients that the file gives.
func (l *runLatency) given(a latency.Accelerator) (calibrate.Given, field.ErrorList) {
	path := field.NewPath("latency")
	if l.Model != "" && l.Model != v1alpha1.RooflineModel {
		return calibrate.Given{}, field.ErrorList{field.NotSupported(path.Child("model"), l.Model, []v1alpha1.LatencyModel{v1alpha1.RooflineModel})}
	}
	if l.Roofline == nil {
		return calibrate.Given{}, nil
	}
	path = path.Child("roofline")
	given := calibrate.Given{Values: map[string]float64{}}
	var errs field.ErrorList
	for _, v := range l.values() {
		if v.text == "" {
			continue
		}
		errs = append(errs, v.check(path)...)
		given.Values[v.name] = v.float()
	}
	for i, p := range l.Roofline.AllReduce {
		at := decimal{"microseconds", string(p.Microseconds)}
		errs = append(errs, at.check(path.Child("allReduce").Index(i))...)
		given.AllReduce = append(given.AllReduce, latency.AllReduceTime{Bytes: p.Bytes, Microseconds: at.float()})
	}
	if len(given.AllReduce) > 0 && l.Roofline.AllReduceLatencyMicroseconds != "" {
		errs = append(errs, field.Forbidden(path.Child("allReduceLatencyMicroseconds"), "is a part of allReduce: set only one of the two"))
	}
	if len(errs) > 0 {
		return given, errs
	}
	// What the accelerator says is not looked at, and need not be right.
	a.MemoryEfficiency, a.PrefillEfficiency, a.DecodeEfficiency = 1, 1, 1
	return given, given.Over(latency.DefaultRoofline(a)).Validate(path)
}

// values lists what may be given, but for the table of collectives.
func (l *runLatency) values() []decimal {
	c := l.Roofline
	return []decimal{
		{"memoryEfficiency", string(c.MemoryEfficiency)},
		{"prefillEfficiency", string(c.PrefillEfficiency)},
		{"decodeEfficiency", string(c.DecodeEfficiency)},
		{"stepOverheadMicroseconds", string(c.StepOverheadMicroseconds)},
		{"sequenceOverheadMicroseconds", string(c.SequenceOverheadMicroseconds)},
		{"tokenOverheadMicroseconds", string(c.TokenOverheadMicroseconds)},
		{"layerOverheadMicroseconds", string(c.LayerOverheadMicroseconds)},
		{"allReduceLatencyMicroseconds", string(c.AllReduceLatencyMicroseconds)},
		{"expertEfficiency", string(c.ExpertEfficiency)},
		{"expertImbalance", string(c.ExpertImbalance)},
		{"dispatchLatencyMicroseconds", string(c.DispatchLatencyMicroseconds)},
		{"dispatchTokenOverheadMicroseconds", string(c.DispatchTokenOverheadMicroseconds)},
	}
}

// runRequestCost is as in a scenario's pool.
type runRequestCost v1alpha1.RequestCost

func (r *runRequestCost) cost() (latency.RequestCost, field.ErrorList) {
	cost := latency.RequestCostPreset(r.Preset).Cost()
	var errs field.ErrorList
	if names := []v1alpha1.RequestCostPreset{v1alpha1.NoRequestCost, v1alpha1.DirectRequestCost, v1alpha1.GatewayRequestCost}; r.Preset != "" && !slices.Contains(names, r.Preset) {
		errs = append(errs, field.NotSupported(field.NewPath("requestCost", "preset"), r.Preset, names))
	}
	for _, v := range []struct {
		decimal
		to *time.Duration
	}{
		{decimal{"queueBaseMicroseconds", string(r.QueueBaseMicroseconds)}, &cost.QueueBase},
		{decimal{"queuePerTokenMicroseconds", string(r.QueuePerTokenMicroseconds)}, &cost.QueuePerInputToken},
		{decimal{"perOutputTokenMicroseconds", string(r.PerOutputTokenMicroseconds)}, &cost.PerOutputToken},
		{decimal{"completionMicroseconds", string(r.CompletionMicroseconds)}, &cost.Completion},
	} {
		if v.text != "" {
			errs = append(errs, v.check(field.NewPath("requestCost"))...)
			*v.to = time.Duration(math.Round(v.float() * float64(time.Microsecond)))
		}
	}
	return cost, errs
}

// decimal is a number in quotes, as scenarios have it, and its field's name.
type decimal struct{ name, text string }

// decimals have at most eight digits before the point, as in a scenario.
var decimals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]{1,8}([.][0-9]+)?$`)
})

func (d decimal) float() float64 { return v1alpha1.Decimal(d.text).Float() }

func (d decimal) check(path *field.Path) field.ErrorList {
	if decimals().MatchString(d.text) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child(d.name), d.text, `must be a decimal from 0 to 99999999 in quotes, such as "2.5"`)}
}
