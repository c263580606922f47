// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// decodeMooncake reads one row of JSON. It is a parser for just this object,
// because encoding/json takes keys in any case and more than once, and takes
// several times as long.
func decodeMooncake(r *mooncakeRow, text []byte) error {
	s := jsonScanner{rest: text}
	if !s.take('{') {
		return errors.New("must be a JSON object")
	}
	var seen [len(mooncakeFields)]bool
	for first := true; !s.take('}'); first = false {
		if !first && !s.take(',') {
			return errors.New("is not valid JSON: want , or } after a field")
		}
		field, err := s.mooncakeField()
		if err != nil {
			return err
		}
		if seen[field] {
			return invalidField(mooncakeFields[field], "occurs twice")
		}
		seen[field] = true
		if err := r.decodeField(&s, mooncakeFields[field]); err != nil {
			return err
		}
	}
	if s.space(); len(s.rest) > 0 {
		return errors.New("is not valid JSON: text after the object")
	}
	r.untimed, r.delayed = !seen[0], seen[len(seen)-1]
	for field, ok := range seen[:4] {
		if !ok && (field > 0 || !r.delayed) {
			return invalidField(mooncakeFields[field], "is missing")
		}
	}
	return nil
}

func (r *mooncakeRow) decodeField(s *jsonScanner, field string) (err error) {
	switch field {
	case mooncakeTimestamp:
		r.timestamp, err = s.integer(field)
	case mooncakeInput:
		r.input, err = s.integer(field)
	case mooncakeOutput:
		r.output, err = s.integer(field)
	case mooncakeHashIDs:
		r.ids, err = s.integers(field, r.ids)
	case mooncakeSession:
		r.session, err = s.name(field)
	case mooncakeDelay:
		r.delay, err = s.integer(field)
	}
	return err
}

// jsonScanner takes apart the JSON that rows consist of.
type jsonScanner struct{ rest []byte }

// space skips white space.
func (s *jsonScanner) space() {
	i := 0
	for i < len(s.rest) && (s.rest[i] == ' ' || s.rest[i] == '\t' || s.rest[i] == '\r' || s.rest[i] == '\n') {
		i++
	}
	s.rest = s.rest[i:]
}

// take skips white space and then c, if it is there.
func (s *jsonScanner) take(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// mooncakeField reads a field's name and the colon, and returns its index in
// mooncakeFields.
func (s *jsonScanner) mooncakeField() (int, error) {
	if !s.take('"') {
		return 0, errors.New("is not valid JSON: want a field's name in quotes")
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 {
		return 0, errors.New("is not valid JSON: a name without its closing quote")
	}
	name := s.rest[:end]
	s.rest = s.rest[end+1:]
	if !s.take(':') {
		return 0, fmt.Errorf("is not valid JSON: want : after the name %.80q", name)
	}
	for i, field := range mooncakeFields {
		if string(name) == field {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown field %.80q", name)
}

// name reads a string that names something: not empty, without escapes.
func (s *jsonScanner) name(field string) (string, error) {
	if !s.take('"') {
		return "", invalidField(field, "must be a string")
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 {
		return "", invalidField(field, "is a string without its closing quote")
	}
	text := s.rest[:end]
	s.rest = s.rest[end+1:]
	switch {
	case len(text) == 0:
		return "", invalidField(field, "must not be empty")
	case !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return r == '\\' || r < ' ' }):
		return "", invalidField(field, "must be plain text without escapes")
	}
	return string(text), nil
}

// integers reads an array into the memory of ids.
func (s *jsonScanner) integers(field string, ids []uint64) ([]uint64, error) {
	if !s.take('[') {
		return ids, invalidField(field, "must be an array of integers")
	}
	for first := true; !s.take(']'); first = false {
		if !first && !s.take(',') {
			return ids, invalidField(field, "is not valid JSON: want , or ] after an integer")
		}
		id, err := s.integer(field)
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// integer reads a whole number that is not negative.
func (s *jsonScanner) integer(field string) (uint64, error) {
	s.space()
	negative := len(s.rest) > 0 && s.rest[0] == '-'
	if negative {
		s.rest = s.rest[1:]
	}
	value, digits := uint64(0), 0
	for digits < len(s.rest) && '0' <= s.rest[digits] && s.rest[digits] <= '9' {
		digit := uint64(s.rest[digits] - '0')
		if value > (math.MaxUint64-digit)/10 {
			return 0, invalidField(field, "does not fit in 64 bits")
		}
		value = 10*value + digit
		digits++
	}
	switch {
	case digits == 0, digits > 1 && s.rest[0] == '0',
		digits < len(s.rest) && strings.IndexByte(".eE", s.rest[digits]) >= 0:
		return 0, invalidField(field, "must be an integer")
	case negative && value > 0:
		return 0, invalidField(field, "must not be negative, got -%d", value)
	}
	s.rest = s.rest[digits:]
	return value, nil
}
