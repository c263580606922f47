// SPDX-License-Identifier: Apache-2.0

// Package jsonline appends JSON to bytes, as encoding/json writes it without the escapes for
// HTML. It is for output of which there is too much for reflection.
package jsonline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number appends a number: the fewest digits that give it, as ECMAScript lays them out.
// JSON has null for NaN and the infinities.
func Number(b []byte, x float64) []byte {
	size := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return append(b, "null"...)
	case size == 0 || size >= 1e-6 && size < 1e21:
		if x == math.Trunc(x) && size < 1e15 && (x != 0 || !math.Signbit(x)) {
			return strconv.AppendInt(b, int64(x), 10)
		}
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, x, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-07 is written e-7
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// Text appends a text in quotes.
func Text(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return Value(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// Value appends any value, by encoding/json. It panics where that fails.
func Value(b []byte, v any) []byte {
	buffer := bytes.NewBuffer(b)
	e := json.NewEncoder(buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("jsonline: %T: %v", v, err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// Key appends the name of a field, with a comma before it unless it is the first one of
// its object.
func Key(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

// List appends a list, of which each value is appended by a function; null for nil.
func List[T any](b []byte, values []T, one func([]byte, *T) []byte) []byte {
	if values == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, &values[i])
	}
	return append(b, ']')
}

// Whole appends a whole number.
func Whole[T ~int | ~int32 | ~int64](b []byte, n *T) []byte {
	return strconv.AppendInt(b, int64(*n), 10)
}
