// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Bytes is a number of bytes, or of bytes per second, greater than 0: a decimal
// number with an optional suffix of Kubernetes quantities, such as 512Gi or 7G.
// It is a string type, not resource.Quantity, to keep the text that the user
// wrote.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(k|Ki|[MGTP]i?)?$') && self.matches('[1-9]')",message="must be a number of bytes greater than 0 in quotes, such as \"512Gi\" or \"7G\""
type Bytes string

// Int64 returns the number, rounded up and at most math.MaxInt64; 0 if b is not a
// number, which the schema rules out.
func (b Bytes) Int64() int64 {
	q, err := resource.ParseQuantity(string(b))
	switch {
	case err != nil:
		return 0
	case q.CmpInt64(math.MaxInt64) > 0:
		return math.MaxInt64
	default:
		return q.Value()
	}
}
