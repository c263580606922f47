// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Bounds of lengths for which arithmetic holds.
const maxParetoShape, maxLengthExponent = 1000, 10

// validateLengthFields says which fields a distribution lacks or does not take, and which
// are out of range. The schema says it of mean, stdDev, min and max.
func validateLengthFields(in *v1alpha1.Lengths, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range []struct {
		name         string
		set          bool
		distribution v1alpha1.LengthDistribution
	}{
		{"shape", in.Shape != "", v1alpha1.ParetoLengths},
		{"exponent", in.Exponent != "", v1alpha1.ZipfLengths},
		{"components", len(in.Components) > 0, v1alpha1.MixtureLengths},
		{"histogram", len(in.Histogram) > 0, v1alpha1.HistogramLengths},
	} {
		switch mine := in.Distribution == f.distribution; {
		case f.set && !mine:
			errs = append(errs, field.Forbidden(path.Child(f.name), fmt.Sprintf("only the distribution %s has it", f.distribution)))
		case !f.set && mine:
			errs = append(errs, field.Required(path.Child(f.name), fmt.Sprintf("the distribution %s needs it", f.distribution)))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if s := in.Exponent.Float(); s > maxLengthExponent {
		errs = append(errs, field.Invalid(path.Child("exponent"), s, fmt.Sprintf("must be between 0 and %d", maxLengthExponent)))
	}
	if in.Distribution == v1alpha1.ParetoLengths {
		errs = append(errs, validateParetoShape(in.Shape, path.Child("shape"))...)
	}
	for i := range in.Components {
		errs = append(errs, validateComponent(&in.Components[i], path.Child("components").Index(i))...)
	}
	return append(errs, validateHistogram(in.Histogram, path.Child("histogram"))...)
}

func validateParetoShape(shape v1alpha1.PositiveDecimal, path *field.Path) field.ErrorList {
	if s := shape.Float(); s <= 1 || s > maxParetoShape {
		return field.ErrorList{field.Invalid(path, s, fmt.Sprintf("must be greater than 1, as there is no mean otherwise, and at most %d", maxParetoShape))}
	}
	return nil
}

func validateComponent(c *v1alpha1.LengthComponent, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	distribution := v1alpha1.LengthDistribution(c.Distribution)
	spread := distribution == v1alpha1.NormalLengths || distribution == v1alpha1.LogNormalLengths || distribution == v1alpha1.GammaLengths
	if spread != (c.StdDev != "") {
		errs = append(errs, field.Invalid(path.Child("stdDev"), c.StdDev, "must be set exactly when distribution is Normal, LogNormal or Gamma"))
	}
	switch pareto := distribution == v1alpha1.ParetoLengths; {
	case pareto:
		errs = append(errs, validateParetoShape(c.Shape, path.Child("shape"))...)
	case c.Shape != "":
		errs = append(errs, field.Forbidden(path.Child("shape"), "only the distribution Pareto has it"))
	}
	return errs
}

func validateHistogram(in []v1alpha1.WeightedLength, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[int32]bool{}
	for i, l := range in {
		if seen[l.Tokens] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("tokens"), l.Tokens))
		}
		seen[l.Tokens] = true
	}
	return errs
}
