// SPDX-License-Identifier: Apache-2.0

// Package jsonline appends JSON to bytes, as encoding/json writes it without the escapes for
// HTML. It is for lines by the million: it allocates nothing, and writes null for NaN, for which
// encoding/json fails. Go 1.26 builds encoding/json/v2 under an experiment only, so that it cannot
// take this package's place yet.
package jsonline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// Plain tells the characters that encoding/json writes as they are, with the escapes for HTML or
// without.
var Plain = func() (set [256]bool) {
	for c := ' '; c <= '~'; c++ {
		set[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return set
}()

// IsPlain reports whether a text has no other characters.
func IsPlain(text string) bool {
	for i := range len(text) {
		if !Plain[text[i]] {
			return false
		}
	}
	return true
}

// Text appends a text in quotes.
func Text(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return escaped(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// escaped appends a text by encoding/json.
func escaped(b []byte, s string) []byte {
	buffer := bytes.NewBuffer(b)
	e := json.NewEncoder(buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("jsonline: %q: %v", s, err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
