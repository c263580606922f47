// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func buildPools(in []v1alpha1.Pool, path *field.Path) ([]simulator.Pool, field.ErrorList) {
	pools := make([]simulator.Pool, len(in))
	var errs field.ErrorList
	for i := range in {
		var es field.ErrorList
		pools[i], es = buildPool(&in[i], path.Index(i))
		errs = append(errs, es...)
		if in[i].Model != in[0].Model {
			errs = append(errs, field.Invalid(path.Index(i).Child("model"), in[i].Model,
				"all pools behind one router serve the same model; the first one serves "+in[0].Model))
		}
	}
	return pools, errs
}

func buildPool(in *v1alpha1.Pool, path *field.Path) (simulator.Pool, field.ErrorList) {
	model, accelerator, errs := lookup(in, path)
	if len(errs) > 0 {
		return simulator.Pool{}, errs
	}
	p := simulator.Pool{
		Name:                in.Name,
		Replicas:            int(in.Replicas),
		BlockTokens:         int(in.Engine.BlockSize),
		PrefixCaching:       in.Engine.PrefixCaching != v1alpha1.Disabled,
		MaxNumSeqs:          int(in.Engine.MaxNumSeqs),
		MaxNumBatchedTokens: int(in.Engine.MaxNumBatchedTokens),
		MaxModelLen:         model.ContextTokens,
	}
	if in.Engine.MaxModelLen != nil {
		p.MaxModelLen = int(*in.Engine.MaxModelLen)
	}
	if errs := latency.ValidateParallelism(model, accelerator, int(in.TensorParallelism), path); len(errs) > 0 {
		return p, errs
	}
	var es field.ErrorList
	p.KVBlocks, es = buildKVBlocks(in, model, accelerator, path)
	errs = append(errs, es...)
	p.Timer, p.Cost, es = buildTimer(in, model, accelerator, path.Child("latency"))
	return p, append(errs, es...)
}

// lookup finds a pool's model and accelerator in the catalogue.
func lookup(in *v1alpha1.Pool, path *field.Path) (latency.Model, latency.Accelerator, field.ErrorList) {
	var errs field.ErrorList
	model, ok := latency.LookupModel(in.Model)
	if !ok {
		errs = append(errs, field.NotSupported(path.Child("model"), in.Model, latency.ModelNames()))
	}
	accelerator, ok := latency.LookupAccelerator(in.Accelerator)
	if !ok {
		errs = append(errs, field.NotSupported(path.Child("accelerator"), in.Accelerator, latency.AcceleratorNames()))
	}
	return model, accelerator, errs
}

func buildKVBlocks(in *v1alpha1.Pool, m latency.Model, a latency.Accelerator, path *field.Path) (int, field.ErrorList) {
	if in.KVCache.Blocks != nil {
		return int(*in.KVCache.Blocks), nil
	}
	at := path.Child("kvCache", "memoryUtilization")
	utilization := in.KVCache.MemoryUtilization.Float()
	if utilization > 1 {
		return 0, field.ErrorList{field.Invalid(at, in.KVCache.MemoryUtilization, "must be at most 1")}
	}
	blocks, err := latency.KVBlocks(m, a, int(in.TensorParallelism), int(in.Engine.BlockSize), utilization)
	if err != nil {
		return 0, field.ErrorList{field.Invalid(path.Child("tensorParallelism"), in.TensorParallelism, err.Error())}
	}
	return blocks, nil
}

func buildTimer(in *v1alpha1.Pool, m latency.Model, a latency.Accelerator, path *field.Path) (latency.StepTimer, latency.RequestCost, field.ErrorList) {
	if in.Latency.Model == v1alpha1.LinearModel {
		timer, cost := buildLinear(in.Latency.Linear)
		at := path.Child("linear")
		return timer, cost, append(timer.Validate(at), cost.Validate(at)...)
	}
	c, errs := buildCoefficients(in.Latency.Roofline, latency.DefaultRoofline(a), path.Child("roofline"))
	if len(errs) > 0 {
		return nil, latency.RequestCost{}, errs
	}
	return latency.NewRoofline(m, a, int(in.TensorParallelism), c), latency.RequestCost{}, nil
}

// buildCoefficients puts what the user overrides into an accelerator's
// coefficients.
func buildCoefficients(in *v1alpha1.RooflineCoefficients, c latency.RooflineCoefficients, path *field.Path) (latency.RooflineCoefficients, field.ErrorList) {
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
	} {
		if share.in != "" {
			*share.out = share.in.Float()
		}
	}
	if in.StepOverheadMicroseconds != "" {
		c.StepOverhead = microseconds(in.StepOverheadMicroseconds)
	}
	if in.SequenceOverheadMicroseconds != "" {
		c.SequenceOverhead = microseconds(in.SequenceOverheadMicroseconds)
	}
	if in.TokenOverheadMicroseconds != "" {
		c.TokenOverhead = microseconds(in.TokenOverheadMicroseconds)
	}
	return c, c.Validate(path)
}

func buildLinear(in *v1alpha1.LinearCoefficients) (latency.Linear, latency.RequestCost) {
	return latency.Linear{
			BaseMicroseconds:            in.BaseMicroseconds.Float(),
			PerPrefillTokenMicroseconds: in.PerPrefillTokenMicroseconds.Float(),
			PerDecodeTokenMicroseconds:  in.PerDecodeTokenMicroseconds.Float(),
		}, latency.RequestCost{
			QueueBase:          microseconds(in.QueueBaseMicroseconds),
			QueuePerInputToken: microseconds(in.QueuePerTokenMicroseconds),
			PerOutputToken:     microseconds(in.PerOutputTokenMicroseconds),
		}
}

func microseconds(d v1alpha1.Microseconds) time.Duration {
	return time.Duration(math.Round(d.Float() * float64(time.Microsecond)))
}
