// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

func buildArrivals(in *v1alpha1.Arrivals) arrival.Arrivals {
	out := arrival.Arrivals{
		Process:       arrival.Process(in.Process),
		RatePerSecond: in.Rate.Float(),
		CV:            in.CV.Float(),
		Shape:         in.Shape.Float(),
		Jitter:        in.Jitter.Float(),

		SizeCorrelation: in.SizeCorrelation.Float(),
	}
	for _, s := range in.Stages {
		stage := arrival.Stage{RatePerSecond: s.Rate.Float(), Duration: s.Duration.Duration()}
		if s.RampTo != "" {
			stage.RampPerSecond = s.RampTo.Float() - stage.RatePerSecond
		}
		out.Stages = append(out.Stages, stage)
	}
	if p := in.Profile; p != nil {
		out.Profile = &arrival.Profile{
			Shape: arrival.Shape(p.Shape), At: p.At.Duration(), Duration: p.Duration.Duration(), Recovery: p.Recovery.Duration(),
			Period: p.Period.Duration(), Factor: p.Factor.Float(), PeakToTrough: p.PeakToTrough.Float(),
		}
	}
	for _, s := range in.States {
		out.States = append(out.States, arrival.State{RateFactor: s.RateFactor.Float(), MeanDuration: s.MeanDuration.Duration()})
	}
	return out
}

// validateArrivalFields says which fields a process lacks or does not take. The schema
// says it of cv.
func validateArrivalFields(in *v1alpha1.Arrivals, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range []struct {
		name          string
		set, required bool
		process       v1alpha1.ArrivalProcess
	}{
		{"shape", in.Shape != "", true, v1alpha1.ParetoArrivals},
		{"jitter", in.Jitter != "", false, v1alpha1.PeriodicArrivals},
		{"states", len(in.States) > 0, true, v1alpha1.MMPPArrivals},
	} {
		switch {
		case f.set && in.Process != f.process:
			errs = append(errs, field.Forbidden(path.Child(f.name), fmt.Sprintf("only the process %s has it", f.process)))
		case !f.set && f.required && in.Process == f.process:
			errs = append(errs, field.Required(path.Child(f.name), fmt.Sprintf("the process %s needs it", f.process)))
		}
	}
	return append(errs, validateProfileFields(in.Profile, path.Child("profile"))...)
}

// validateProfileFields says whether a profile lacks a factor, which may be 0, or does not
// take it.
func validateProfileFields(in *v1alpha1.LoadProfile, path *field.Path) field.ErrorList {
	if in == nil {
		return nil
	}
	switch takes := in.Shape == v1alpha1.StepLoad || in.Shape == v1alpha1.RampLoad || in.Shape == v1alpha1.SpikeLoad; {
	case takes && in.Factor == "":
		return field.ErrorList{field.Required(path.Child("factor"), fmt.Sprintf("the shape %s needs it", in.Shape))}
	case !takes && in.Factor != "":
		return field.ErrorList{field.Forbidden(path.Child("factor"), fmt.Sprintf("the shape %s does not have it", in.Shape))}
	}
	return nil
}
