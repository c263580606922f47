// SPDX-License-Identifier: Apache-2.0

package arrival

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Bounds within which the arithmetic of arrivals holds: gaps are whole ns, and
// the shape of a Gamma process is the inverse square of its CV.
const (
	maxRatePerSecond = 1e9
	minCV, maxCV     = 0.001, 1000
	maxShape         = 1000
	maxRateFactor    = 1e6
	minStates        = 2
	maxStates        = 8
	// minRequestsPerState is the least mean number of requests of a state. With fewer, a
	// process would spend most of its time on changes of state.
	minRequestsPerState = 1e-3
	// maxStages of maxStage end before latest.
	maxStages = 64
	maxStage  = 8760 * time.Hour
)

// Validate returns the faults of the arrivals, under the names that the API gives its fields.
func (a Arrivals) Validate(path *field.Path) field.ErrorList {
	errs := append(a.validateProcess(path), a.validateSizeCorrelation(path.Child("sizeCorrelation"))...)
	if len(a.Stages) > 0 {
		return append(errs, a.validateStages(path)...)
	}
	if !(a.RatePerSecond > 0 && a.RatePerSecond <= maxRatePerSecond) {
		errs = append(errs, field.Invalid(path.Child("rate"), a.RatePerSecond,
			fmt.Sprintf("must be greater than 0 and at most %.0e requests a second", maxRatePerSecond)))
	}
	if a.Profile != nil {
		errs = append(errs, a.Profile.Validate(path.Child("profile"))...)
	}
	return errs
}

func (a Arrivals) validateProcess(path *field.Path) field.ErrorList {
	switch a.Process {
	case Poisson, Constant:
	case Gamma:
		return mustBeBetween(path.Child("cv"), a.CV, minCV, maxCV)
	case Weibull:
		return mustBeBetween(path.Child("cv"), a.CV, stats.MinWeibullCV, stats.MaxWeibullCV)
	case Pareto:
		if !(a.Shape > 1 && a.Shape <= maxShape) {
			return field.ErrorList{field.Invalid(path.Child("shape"), a.Shape,
				fmt.Sprintf("must be greater than 1, as gaps have no mean otherwise, and at most %d", maxShape))}
		}
	case Periodic:
		return mustBeBetween(path.Child("jitter"), a.Jitter, 0, 1)
	case MMPP:
		return a.validateStates(path.Child("states"))
	default:
		return field.ErrorList{field.NotSupported(path.Child("process"), a.Process, Processes())}
	}
	return nil
}

func (a Arrivals) validateSizeCorrelation(path *field.Path) field.ErrorList {
	if a.SizeCorrelation != 0 && !a.Process.HasBursts() {
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("arrivals of the process %s have no bursts", a.Process))}
	}
	return mustBeBetween(path, a.SizeCorrelation, -1, 1)
}

func mustBeBetween(path *field.Path, value, least, greatest float64) field.ErrorList {
	if value >= least && value <= greatest {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be between %v and %v", least, greatest))}
}

func (a Arrivals) validateStates(path *field.Path) field.ErrorList {
	if len(a.States) < minStates || len(a.States) > maxStates {
		return field.ErrorList{field.Invalid(path, len(a.States), fmt.Sprintf("an MMPP has from %d to %d states", minStates, maxStates))}
	}
	var errs field.ErrorList
	seconds := 0.0
	for i, s := range a.States {
		at := path.Index(i)
		errs = append(errs, mustBeBetween(at.Child("rateFactor"), s.RateFactor, 0, maxRateFactor)...)
		if s.MeanDuration <= 0 || s.MeanDuration > maxStage {
			errs = append(errs, field.Invalid(at.Child("meanDuration"), s.MeanDuration.String(), fmt.Sprintf("must be greater than 0 and at most %v", maxStage)))
		}
		seconds += s.MeanDuration.Seconds()
	}
	if !slices.ContainsFunc(a.States, func(s State) bool { return s.RateFactor > 0 }) {
		errs = append(errs, field.Invalid(path, len(a.States), "one of them must have a rateFactor greater than 0"))
	}
	if rate := a.MeanRatePerSecond(); len(errs) == 0 && rate > 0 && float64(rate*seconds) < minRequestsPerState {
		errs = append(errs, field.Invalid(path, len(a.States), fmt.Sprintf("all states together must last for %v requests or more", minRequestsPerState)))
	}
	return errs
}

func (a Arrivals) validateStages(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a.RatePerSecond != 0 {
		errs = append(errs, field.Forbidden(path.Child("rate"), "stages have rates of their own"))
	}
	if a.Profile != nil {
		errs = append(errs, field.Forbidden(path.Child("profile"), "stages say how the rate changes"))
	}
	if len(a.Stages) > maxStages {
		errs = append(errs, field.TooMany(path.Child("stages"), len(a.Stages), maxStages))
	}
	busy := false
	for i, s := range a.Stages {
		at := path.Child("stages").Index(i)
		errs = append(errs, validateRate(at.Child("rate"), s.RatePerSecond)...)
		if s.RampPerSecond != 0 {
			errs = append(errs, validateRate(at.Child("rampTo"), s.RatePerSecond+s.RampPerSecond)...)
		}
		if s.Duration <= 0 || s.Duration > maxStage {
			errs = append(errs, field.Invalid(at.Child("duration"), s.Duration.String(), fmt.Sprintf("must be greater than 0 and at most %v", maxStage)))
		}
		busy = busy || s.busy()
	}
	if !busy {
		errs = append(errs, field.Invalid(path.Child("stages"), len(a.Stages), "one of them must have a rate greater than 0"))
	}
	return errs
}

func validateRate(path *field.Path, rate float64) field.ErrorList {
	if rate >= 0 && rate <= maxRatePerSecond {
		return nil
	}
	return field.ErrorList{field.Invalid(path, rate, fmt.Sprintf("must be between 0 and %.0e requests a second", maxRatePerSecond))}
}
