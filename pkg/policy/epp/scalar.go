// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"
)

// duration is a Kubernetes duration: a string such as 200ms.
type duration time.Duration

func (d *duration) decode(n node) error {
	v, err := time.ParseDuration(n.text)
	if n.kind != stringNode || err != nil {
		return errors.New("must be a duration such as 200ms")
	}
	*d = duration(v)
	return nil
}

// MarshalJSON writes the duration as decode reads it.
func (d duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// quantity is a Kubernetes quantity, a string or a number. Only its form is
// checked: what holds quantities has no effect here.
type quantity string

var quantityForm = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`)

func (q *quantity) decode(n node) error {
	if n.kind != stringNode && n.kind != numberNode || !quantityForm.MatchString(n.text) {
		return errors.New("must be a quantity such as 5000 or 1Gi")
	}
	*q = quantity(n.text)
	return nil
}

// negative reports whether the quantity is less than 0.
func (q quantity) negative() bool {
	return strings.HasPrefix(string(q), "-") && strings.ContainsAny(string(q), "123456789")
}
