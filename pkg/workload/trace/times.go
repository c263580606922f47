// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"
)

// TimeFormat says how a CSV writes times.
type TimeFormat string

// The formats of times.
const (
	// Seconds and the three after it are decimal numbers of the unit, counted from any
	// instant. Digits below 1 ns are cut off.
	Seconds      TimeFormat = "Seconds"
	Milliseconds TimeFormat = "Milliseconds"
	Microseconds TimeFormat = "Microseconds"
	Nanoseconds  TimeFormat = "Nanoseconds"
	// Timestamp is a date and a time such as 2024-05-10 00:00:00.009930+00:00: a space
	// or a T between them, any number of digits of the second, and a zone (Z, UTC or an
	// offset) in all rows or in none.
	Timestamp TimeFormat = "Timestamp"
)

// timeFormats lists the formats of times.
func timeFormats() []TimeFormat {
	return []TimeFormat{Seconds, Milliseconds, Microseconds, Nanoseconds, Timestamp}
}

// nsDigits is by how many decimal places a unit is greater than 1 ns.
var nsDigits = map[TimeFormat]int{Seconds: 9, Milliseconds: 6, Microseconds: 3, Nanoseconds: 0}

// clock reads the times of one file.
type clock struct {
	field  string
	format TimeFormat
	// chosen says that a user chooses the format, with timeFormat.
	chosen bool
	// read says that a row was read, zoned that it has a time zone: all rows have one or
	// none has.
	read, zoned bool
}

// at returns a time in ns since an instant that is the same for all rows.
func (c *clock) at(text []byte) (int64, error) {
	if c.format != Timestamp {
		at, err := decimalNs(c.field, text, c.format)
		if err != nil && c.chosen {
			err = fmt.Errorf("%w%s", err, howToRead(text))
		}
		return at, err
	}
	at, zoned, ok := parseTimestamp(text)
	switch {
	case !ok:
		return 0, invalidField(c.field, "must look like 2024-05-10 00:00:00.009930+00:00 and lie between the years 1970 and 2200, got %.80q%s", text, howToRead(text))
	case c.read && zoned != c.zoned:
		return 0, invalidField(c.field, "must have a zone in all rows or in none, got %.80q", text)
	}
	c.read, c.zoned = true, zoned
	return at, nil
}

// decimalNs returns a decimal number of a unit in ns. What is below 1 ns is cut off.
func decimalNs(field string, text []byte, unit TimeFormat) (int64, error) {
	mantissa, exponent, ok := cutExponent(text)
	whole, fraction, pointed := bytes.Cut(mantissa, []byte("."))
	if len(whole) > 0 && whole[0] == '-' && isDigits(whole[1:]) {
		return 0, invalidField(field, "must not be negative, got %.80q", text)
	}
	if !ok || !isDigits(whole) || pointed && !isDigits(fraction) {
		return 0, invalidField(field, "must be a decimal number of %s, got %.80q", unit.inWords(), text)
	}
	value, place := uint64(0), len(whole)+exponent+nsDigits[unit]
	for i := 0; place > 0 && (i < len(whole)+len(fraction) || value > 0); i++ {
		place--
		digit := byte('0')
		if i < len(whole) {
			digit = whole[i]
		} else if i < len(whole)+len(fraction) {
			digit = fraction[i-len(whole)]
		}
		if value > (math.MaxInt64-9)/10 {
			return 0, invalidField(field, "must be at most 292 years, got %.80q%s", text, otherUnit(len(whole), unit))
		}
		value = 10*value + uint64(digit-'0')
	}
	return int64(value), nil
}

// otherUnit says in which unit a number with that many digits may be a time since 1970.
func otherUnit(digits int, unit TimeFormat) string {
	for _, other := range []TimeFormat{Milliseconds, Microseconds, Nanoseconds} {
		if digits == 19-nsDigits[other] && other != unit {
			return ": it looks like " + other.inWords() + " since 1970"
		}
	}
	return ""
}

// inWords names a unit within a sentence.
func (f TimeFormat) inWords() string { return string(bytes.ToLower([]byte(f))) }

// cutExponent cuts a number such as 1.5e-05 before its exponent.
func cutExponent(text []byte) (mantissa []byte, exponent int, ok bool) {
	i := bytes.IndexAny(text, "eE")
	if i < 0 {
		return text, 0, true
	}
	exponent, err := strconv.Atoi(string(text[i+1:]))
	return text[:i], exponent, err == nil && -100 <= exponent && exponent <= 100
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// parseTimestamp returns a date and time in ns since 1970, as if without a zone it were
// UTC. Digits below 1 ns are cut off.
func parseTimestamp(text []byte) (at int64, zoned, ok bool) {
	const layout = "dddd-dd-dd?dd:dd:dd"
	if len(text) < len(layout) || text[10] != ' ' && text[10] != 'T' {
		return 0, false, false
	}
	for i, c := range []byte(layout) {
		switch {
		case c == 'd' && (text[i] < '0' || text[i] > '9'), c != 'd' && c != '?' && text[i] != c:
			return 0, false, false
		}
	}
	number := func(from, to int) int {
		n := 0
		for _, c := range text[from:to] {
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := number(0, 4), number(5, 7), number(8, 10)
	hour, minute, second := number(11, 13), number(14, 16), number(17, 19)
	ns, zone, ok := cutFraction(text[len(layout):])
	if !ok || year < 1970 || year > 2200 || hour > 23 || minute > 59 || second > 59 {
		return 0, false, false
	}
	offset, zoned, ok := parseZone(zone)
	t := time.Date(year, time.Month(month), day, hour, minute, second, ns, time.UTC)
	if !ok || int(t.Month()) != month || t.Day() != day {
		return 0, false, false
	}
	return t.UnixNano() - int64(offset), zoned, true
}

// cutFraction cuts a fraction of a second, if there is one, and returns it in ns.
func cutFraction(text []byte) (ns int, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '.' {
		return 0, text, true
	}
	digits := 0
	for unit := 100_000_000; 1+digits < len(text) && '0' <= text[1+digits] && text[1+digits] <= '9'; digits++ {
		ns += int(text[1+digits]-'0') * unit
		unit /= 10
	}
	return ns, text[1+digits:], digits > 0
}

// parseZone reads Z, UTC, +hh, +hhmm, +hh:mm or nothing.
func parseZone(text []byte) (offset time.Duration, zoned, ok bool) {
	switch zone := string(bytes.TrimPrefix(text, []byte(" "))); {
	case len(text) == 0:
		return 0, false, true
	case zone == "Z", zone == "z", zone == "UTC":
		return 0, true, true
	case len(zone) < 3, zone[0] != '+' && zone[0] != '-':
		return 0, false, false
	default:
		digits := zone[1:]
		if len(digits) == 5 && digits[2] == ':' {
			digits = digits[:2] + digits[3:]
		}
		if len(digits) == 2 {
			digits += "00"
		}
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || len(digits) != 4 || n/100 > 14 || n%100 > 59 {
			return 0, false, false
		}
		offset = time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
		if zone[0] == '-' {
			offset = -offset
		}
		return offset, true, true
	}
}
