// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// Quantity is a Kubernetes quantity, a string or a number. Only its form is
// checked: what holds quantities has no effect here.
type Quantity string

var quantityForm = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`)

// Decode reads a quantity such as 5000 or 1Gi.
func (q *Quantity) Decode(n Node) error {
	if n.Kind != stringNode && n.Kind != numberNode || !quantityForm.MatchString(n.text) {
		return errors.New("must be a quantity such as 5000 or 1Gi")
	}
	*q = Quantity(n.text)
	return nil
}

// Negative reports whether the quantity is less than 0.
func (q Quantity) Negative() bool {
	return strings.HasPrefix(string(q), "-") && strings.ContainsAny(string(q), "123456789")
}

// QuantityOf returns a whole number as a quantity.
func QuantityOf(n int64) *Quantity {
	q := Quantity(strconv.FormatInt(n, 10))
	return &q
}

// Value is the quantity as a whole number, rounded up; 0 where there is none.
func (q *Quantity) Value() int64 {
	if q == nil {
		return 0
	}
	number, suffix := string(*q), ""
	if at := strings.IndexAny(number, "numkKMGTPEe"); at >= 0 {
		number, suffix = number[:at], number[at:]
	}
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(number, ".") + exponentOf(suffix))
	if !ok {
		return 0
	}
	if power, binary := binaryPowers[suffix]; binary {
		r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), power)))
	}
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	v := up.Div(up, r.Denom())
	if !v.IsInt64() {
		return math.MaxInt64
	}
	return v.Int64()
}

var binaryPowers = map[string]uint{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

// exponentOf writes a decimal suffix as a power of ten.
func exponentOf(suffix string) string {
	powers := map[string]string{
		"n": "e-9", "u": "e-6", "m": "e-3", "k": "e3", "M": "e6", "G": "e9", "T": "e12", "P": "e15", "E": "e18",
	}
	if power, ok := powers[suffix]; ok {
		return power
	}
	if _, binary := binaryPowers[suffix]; binary {
		return ""
	}
	return suffix
}
