// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Duration is a Kubernetes duration: a string such as 200ms.
type Duration time.Duration

// Decode reads a duration such as 200ms.
func (d *Duration) Decode(n Node) error {
	v, err := time.ParseDuration(n.text)
	if n.Kind != stringNode || err != nil {
		return errors.New("must be a duration such as 200ms")
	}
	*d = Duration(v)
	return nil
}

// MarshalJSON writes the duration as decode reads it.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// Quantity is a Kubernetes quantity, a string or a number, as it is written.
type Quantity string

// Decode reads a quantity such as 5000 or 1Gi. Blanks around it do not matter.
func (q *Quantity) Decode(n Node) error {
	text := strings.TrimSpace(n.text)
	if _, err := resource.ParseQuantity(text); n.Kind != stringNode && n.Kind != numberNode || err != nil {
		return errors.New("must be a quantity such as 5000 or 1Gi")
	}
	*q = Quantity(text)
	return nil
}

// QuantityOf returns a whole number as a quantity.
func QuantityOf(n int64) *Quantity {
	q := Quantity(strconv.FormatInt(n, 10))
	return &q
}

// Value is the quantity as a whole number, rounded up; 0 if it is absent. One that
// is too large overflows, as it does in the EPP.
func (q *Quantity) Value() int64 {
	if q == nil {
		return 0
	}
	parsed, err := resource.ParseQuantity(string(*q))
	if err != nil {
		return 0
	}
	return parsed.Value()
}

// Wraps reports whether the quantity is more than its value: one of more than 64 bits
// loses its upper bits.
func (q *Quantity) Wraps() bool {
	if q == nil {
		return false
	}
	parsed, err := resource.ParseQuantity(string(*q))
	return err == nil && parsed.CmpInt64(parsed.Value()) > 0
}
