// SPDX-License-Identifier: Apache-2.0

// Package jsontest encodes and decodes the values of tests.
package jsontest

import (
	"encoding/json"
	"testing"
)

// Encode returns the JSON of a value.
func Encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Decode returns the value of a text of JSON.
func Decode[T any](t testing.TB, raw []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
