// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// indexUnits are the powers that a letter of a size stands for.
var indexUnits = map[byte]int{'k': 1, 'm': 2, 'g': 3, 't': 4, 'p': 5, 'e': 6}

// indexBytes reads the size of an index as the EPP does: 2GiB, 1,024 kb, 3 m. The
// error says what is wrong.
func indexBytes(size string) (float64, error) {
	end := strings.IndexFunc(size, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	if end < 0 {
		end = len(size)
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(size[:end], ",", ""), 64)
	if err != nil {
		return 0, fmt.Errorf("must be a size such as 2GiB")
	}
	unit, ok := indexUnit(strings.ToLower(strings.TrimSpace(size[end:])))
	if !ok {
		return 0, fmt.Errorf("must be a size in B, KiB to EiB or kB to EB")
	}
	switch bytes := number * unit; {
	case bytes < 1:
		return 0, fmt.Errorf("must be at least one byte")
	case bytes >= math.MaxInt64:
		return 0, fmt.Errorf("must be below 8EiB")
	default:
		return bytes, nil
	}
}

// indexUnit is how many bytes a unit in small letters has: kb, kib, k and ki.
func indexUnit(unit string) (float64, bool) {
	letters := strings.TrimSuffix(unit, "b")
	if letters == "" {
		return 1, true
	}
	power, ok := indexUnits[letters[0]]
	switch letters[1:] {
	case "":
		return unitOf(1000, power), ok
	case "i":
		return unitOf(1024, power), ok
	}
	return 0, false
}

// unitOf is a power of a base; the largest one, 1024⁶, is below 2⁶³.
func unitOf(base int64, power int) float64 {
	unit := int64(1)
	for range power {
		unit *= base
	}
	return float64(unit)
}
