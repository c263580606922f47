// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// buildTimer makes a pool's model of step times.
func (b *Builder) buildTimer(in *v1alpha1.Latency, instance latency.Instance, limits latency.EngineLimits, path *field.Path) (latency.StepTimer, field.ErrorList) {
	if instance.StepTogether() && in.Model != v1alpha1.RooflineModel {
		return nil, field.ErrorList{field.Invalid(path.Child("model"), in.Model, fmt.Sprintf(
			"must be roofline with dataParallelism %d: the ranks of a model with experts step together, which no other model has times of", instance.DataParallelism))}
	}
	switch in.Model {
	case v1alpha1.LinearModel:
		timer := buildLinear(in.Linear)
		return timer, timer.Validate(path.Child("linear"))
	case v1alpha1.PhysicsModel:
		if errs := instance.ValidatePhysics(path.Child("model")); len(errs) > 0 {
			return nil, errs
		}
		return instance.Physics(), nil
	case v1alpha1.TableModel:
		return b.buildTable(in.Table, limits, path.Child("table"))
	default:
		c, errs := buildRoofline(in.Roofline, instance.DefaultRoofline(), path.Child("roofline"))
		if len(errs) > 0 {
			return nil, errs
		}
		if instance.StepTogether() {
			return instance.Ranks(c), nil
		}
		return instance.Roofline(c), nil
	}
}

func buildLinear(in *v1alpha1.LinearCoefficients) latency.Linear {
	return latency.Linear{
		BaseMicroseconds:            in.BaseMicroseconds.Float(),
		PerPrefillTokenMicroseconds: in.PerPrefillTokenMicroseconds.Float(),
		PerDecodeTokenMicroseconds:  in.PerDecodeTokenMicroseconds.Float(),
	}
}

// buildTable makes the timer of a table that was read. One that could not be
// read was reported where it should have been, and gives none.
func (b *Builder) buildTable(in *v1alpha1.TableSource, limits latency.EngineLimits, path *field.Path) (latency.StepTimer, field.ErrorList) {
	if in.Inline == nil {
		return nil, nil
	}
	table, errs := parseCached(b, *in.Inline, path, latency.ParseTable)
	if len(errs) > 0 {
		return nil, errs
	}
	if errs := table.ValidateLimits(limits, path); len(errs) > 0 {
		return nil, errs
	}
	return table.Timer(), nil
}

// buildRoofline puts what the user overrides into an accelerator's
// coefficients.
func buildRoofline(in *v1alpha1.RooflineCoefficients, c latency.RooflineCoefficients, path *field.Path) (latency.RooflineCoefficients, field.ErrorList) {
	if in == nil {
		return c, nil
	}
	for _, share := range []struct {
		in  v1alpha1.PositiveDecimal
		out *float64
	}{
		{in.MemoryEfficiency, &c.MemoryEfficiency},
		{in.PrefillEfficiency, &c.PrefillEfficiency},
		{in.DecodeEfficiency, &c.DecodeEfficiency},
		{in.KVEfficiency, &c.KVEfficiency},
		{in.ExpertEfficiency, &c.ExpertEfficiency},
		{in.ExpertMemoryEfficiency, &c.ExpertMemoryEfficiency},
		{in.ExpertImbalance, &c.ExpertImbalance},
	} {
		if share.in != "" {
			*share.out = share.in.Float()
		}
	}
	for _, cost := range []struct {
		in  v1alpha1.Microseconds
		out *time.Duration
	}{
		{in.StepOverheadMicroseconds, &c.StepOverhead},
		{in.LayerOverheadMicroseconds, &c.LayerOverhead},
		{in.SequenceOverheadMicroseconds, &c.SequenceOverhead},
		{in.TokenOverheadMicroseconds, &c.TokenOverhead},
		{in.AllReduceLatencyMicroseconds, &c.AllReduceLatency},
		{in.EagerLayerOverheadMicroseconds, &c.EagerLayerOverhead},
		{in.DispatchLatencyMicroseconds, &c.DispatchLatency},
		{in.DispatchTokenOverheadMicroseconds, &c.DispatchTokenOverhead},
	} {
		if cost.in != "" {
			*cost.out = microseconds(cost.in)
		}
	}
	if in.StepOverheadMicroseconds != "" && in.LayerOverheadMicroseconds == "" {
		c.LayerOverhead = 0 // the step's is all of the fixed cost
	}
	if len(in.AllReduce) > 0 || in.AllReduceLatencyMicroseconds != "" {
		c.AllReduce = nil // of the catalogue
	}
	for _, p := range in.AllReduce {
		c.AllReduce = append(c.AllReduce, latency.AllReduceTime{Bytes: p.Bytes, Microseconds: p.Microseconds.Float()})
	}
	return c, c.Validate(path)
}

func microseconds(d v1alpha1.Microseconds) time.Duration {
	return time.Duration(math.Round(d.Float() * float64(time.Microsecond)))
}
