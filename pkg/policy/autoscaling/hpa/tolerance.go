// SPDX-License-Identifier: Apache-2.0

package hpa

// tolerance is how far a ratio may be below and above 1 without a change.
type tolerance struct{ down, up float64 }

// tolerances returns those of a spec with defaults.
func tolerances(spec *Spec, otherwise float64) tolerance {
	t := tolerance{down: otherwise, up: otherwise}
	if spec.Behavior == nil {
		return t
	}
	if milli := spec.Behavior.ScaleDown.Tolerance; milli != nil {
		t.down = thousandths(*milli)
	}
	if milli := spec.Behavior.ScaleUp.Tolerance; milli != nil {
		t.up = thousandths(*milli)
	}
	return t
}

// thousandths multiplies, as a quantity of Kubernetes does: a division has another last bit. The
// conversion keeps a processor from joining the product with the sum that it is used in.
func thousandths(milli int64) float64 { return float64(float64(milli) * 1e-3) }

// holds reports whether a ratio is too near to 1 for a change.
func (t tolerance) holds(ratio float64) bool { return 1-t.down <= ratio && ratio <= 1+t.up }
