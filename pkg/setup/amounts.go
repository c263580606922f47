// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildAmounts returns amounts of which none is above limit.
func buildAmounts(in v1alpha1.Amounts, limit int, path *field.Path) (workload.Lengths, field.ErrorList) {
	lengths := v1alpha1.Lengths{
		Distribution: v1alpha1.LengthDistribution(in.Distribution), Mean: in.Mean, StdDev: in.StdDev, Min: in.Min, Max: in.Max,
	}
	errs := validateAmounts(in, limit, path)
	if len(errs) > 0 {
		return workload.Lengths{}, errs
	}
	out := buildLengths(lengths)
	if out.Max == 0 {
		out.Max = limit
	}
	return out, nil
}

// validateAmounts says which fields a distribution lacks or does not take, and which
// amounts are too great.
func validateAmounts(in v1alpha1.Amounts, limit int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	uniform := in.Distribution == v1alpha1.UniformAmounts
	spread := in.Distribution == v1alpha1.NormalAmounts || in.Distribution == v1alpha1.LogNormalAmounts
	for _, f := range []struct {
		name        string
		set, wanted bool
	}{
		{"mean", in.Mean != "", !uniform},
		{"stdDev", in.StdDev != "", spread},
		{"max", in.Max != nil, uniform || in.Max != nil},
	} {
		switch {
		case f.wanted && !f.set:
			errs = append(errs, field.Required(path.Child(f.name), "distribution "+string(in.Distribution)+" takes it"))
		case f.set && !f.wanted:
			errs = append(errs, field.Forbidden(path.Child(f.name), "distribution "+string(in.Distribution)+" does not take it"))
		}
	}
	if in.Max != nil && int(*in.Max) > limit {
		errs = append(errs, field.Invalid(path.Child("max"), *in.Max, "must be at most "+strconv.Itoa(limit)))
	}
	if in.Mean.Float() > float64(limit) {
		errs = append(errs, field.Invalid(path.Child("mean"), in.Mean, "must be at most "+strconv.Itoa(limit)))
	}
	greatest := limit
	if in.Max != nil {
		greatest = min(greatest, int(*in.Max))
	}
	if int(in.Min) > greatest {
		errs = append(errs, field.Invalid(path.Child("min"), in.Min, "must be at most "+strconv.Itoa(greatest)))
	}
	return errs
}
