// SPDX-License-Identifier: Apache-2.0

package arrival

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Shape is the shape of a load profile.
type Shape string

const (
	// Unchanged leaves the rate as it is.
	Unchanged Shape = "Constant"
	// Step multiplies the rate by Factor from At on.
	Step Shape = "Step"
	// Ramp changes the rate in a straight line, from At on for Duration, until it is
	// multiplied by Factor, where it stays.
	Ramp Shape = "Ramp"
	// Diurnal makes the rate rise and fall as a cosine with a Period and a peak At. The rate
	// is the mean over a period.
	Diurnal Shape = "Diurnal"
	// Spike multiplies the rate by Factor from At on for Duration. Then the rate returns in
	// a straight line for Recovery, or at once.
	Spike Shape = "Spike"
	// Drain lets the rate fall to 0 in a straight line, from At on for Duration, or at once.
	// No request comes after that.
	Drain Shape = "Drain"
)

// shapes are all shapes.
func shapes() []Shape { return []Shape{Unchanged, Step, Ramp, Diurnal, Spike, Drain} }

// Profile is how a rate changes in time.
type Profile struct {
	Shape Shape
	// At is when the change begins; of Diurnal, when the rate has a peak.
	At, Duration, Recovery, Period time.Duration
	// Factor is what the rate is multiplied by.
	Factor float64
	// PeakToTrough is the ratio of the greatest rate to the least.
	PeakToTrough float64
}

// Validate returns the faults of a profile, under the names that the API gives its fields.
func (p *Profile) Validate(path *field.Path) field.ErrorList {
	if !slices.Contains(shapes(), p.Shape) {
		return field.ErrorList{field.NotSupported(path.Child("shape"), p.Shape, shapes())}
	}
	var errs field.ErrorList
	for _, f := range []struct {
		name     string
		set      bool
		required []Shape
		optional []Shape
	}{
		{"at", p.At != 0, nil, []Shape{Step, Ramp, Diurnal, Spike, Drain}},
		{"duration", p.Duration != 0, []Shape{Ramp, Spike}, []Shape{Drain}},
		{"factor", p.Factor != 0, nil, []Shape{Step, Ramp, Spike}},
		{"recovery", p.Recovery != 0, nil, []Shape{Spike}},
		{"period", p.Period != 0, []Shape{Diurnal}, nil},
		{"peakToTrough", p.PeakToTrough != 0, []Shape{Diurnal}, nil},
	} {
		needs := slices.Contains(f.required, p.Shape)
		switch {
		case f.set && !needs && !slices.Contains(f.optional, p.Shape):
			errs = append(errs, field.Forbidden(path.Child(f.name), fmt.Sprintf("the shape %s does not have it", p.Shape)))
		case !f.set && needs:
			errs = append(errs, field.Required(path.Child(f.name), fmt.Sprintf("the shape %s needs it", p.Shape)))
		}
	}
	for _, f := range []struct {
		name string
		d    time.Duration
	}{{"at", p.At}, {"duration", p.Duration}, {"recovery", p.Recovery}, {"period", p.Period}} {
		if f.d < 0 || f.d > maxStage {
			errs = append(errs, field.Invalid(path.Child(f.name), f.d.String(), fmt.Sprintf("must be between 0 and %v", maxStage)))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	errs = append(errs, mustBeBetween(path.Child("factor"), p.Factor, 0, maxRateFactor)...)
	if p.Shape == Diurnal {
		errs = append(errs, mustBeBetween(path.Child("peakToTrough"), p.PeakToTrough, 1, maxRateFactor)...)
		if p.Period < diurnalPieces*time.Millisecond {
			errs = append(errs, field.Invalid(path.Child("period"), p.Period.String(), fmt.Sprintf("must be at least %v", diurnalPieces*time.Millisecond)))
		}
	}
	return errs
}

// pieces returns the profile of a rate as stages: some that come once, and then some that
// come again and again. Where none comes again, no request comes after the last stage.
func (p *Profile) pieces(rate float64) (once, again []Stage) {
	add := func(to *[]Stage, from, till float64, d time.Duration) {
		if d > 0 {
			*to = append(*to, Stage{RatePerSecond: from, RampPerSecond: till - from, Duration: d})
		}
	}
	if p.Shape == Diurnal {
		return p.diurnal(rate)
	}
	changed, end := float64(rate*p.Factor), rate
	add(&once, rate, rate, p.At)
	switch p.Shape {
	case Step:
		end = changed
	case Ramp:
		add(&once, rate, changed, p.Duration)
		end = changed
	case Spike:
		add(&once, changed, changed, p.Duration)
		add(&once, changed, rate, p.Recovery)
	case Drain:
		add(&once, rate, 0, p.Duration)
		end = 0
	}
	if end > 0 {
		add(&again, end, end, maxStage)
	}
	return once, again
}

// diurnalPieces is the number of straight ramps of a period: they are within 0.3 % of the
// cosine's amplitude.
const diurnalPieces = 48

// cosines are cos(i·7.5°) for i from 0 to 12.
var cosines = [diurnalPieces/4 + 1]float64{
	1, 0.9914448613738104, 0.9659258262890683, 0.9238795325112867, 0.8660254037844386, 0.7933533402912352,
	0.7071067811865476, 0.6087614290087207, 0.5, 0.3826834323650898, 0.25881904510252074, 0.13052619222005157, 0,
}

// cosine returns cos(i·7.5°), from a table, since it must have the same bits everywhere.
func cosine(i int) float64 {
	i %= diurnalPieces
	const quarter = diurnalPieces / 4
	switch {
	case i <= quarter:
		return cosines[i]
	case i <= 2*quarter:
		return -cosines[2*quarter-i]
	default:
		return cosine(diurnalPieces - i)
	}
}

// diurnal begins at the place of the period that is At before a peak.
func (p *Profile) diurnal(rate float64) (once, again []Stage) {
	amplitude := float64(rate * (p.PeakToTrough - 1) / (p.PeakToTrough + 1))
	at := func(piece int) float64 { return rate + float64(amplitude*cosine(piece)) }
	// Piece i of a period ends before bound(i+1), so all pieces together last for the period.
	bound := func(piece int) time.Duration { return time.Duration(int64(p.Period) / diurnalPieces * int64(piece)) }
	since := (p.Period - p.At%p.Period) % p.Period // from a peak to the start
	first := 0
	for first+1 < diurnalPieces && bound(first+1) <= since {
		first++
	}
	piece := func(i int) Stage {
		end := bound(i + 1)
		if i+1 == diurnalPieces {
			end = p.Period
		}
		return Stage{RatePerSecond: at(i), RampPerSecond: at(i+1) - at(i), Duration: end - bound(i)}
	}
	whole := piece(first)
	skipped := since - bound(first)
	begun := float64(whole.RampPerSecond * (skipped.Seconds() / whole.Duration.Seconds()))
	if left := whole.Duration - skipped; left > 0 {
		once = append(once, Stage{RatePerSecond: whole.RatePerSecond + begun, RampPerSecond: whole.RampPerSecond - begun, Duration: left})
	}
	for i := range diurnalPieces {
		again = append(again, piece((first+1+i)%diurnalPieces))
	}
	return once, again
}
