// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonScanner takes apart the JSON objects that rows consist of. It is a parser for just
// that, because encoding/json takes keys in any case and more than once, and takes
// several times as long.
type jsonScanner struct {
	rest []byte
	seen uint64 // the fields of the object so far, by index
}

// open begins an object.
func (s *jsonScanner) open(text []byte) error {
	s.rest, s.seen = text, 0
	if !s.take('{') {
		return errors.New("must be a JSON object")
	}
	return nil
}

// has reports whether the object has had a field.
func (s *jsonScanner) has(field int) bool { return s.seen&(1<<field) != 0 }

// field reads the name of the object's next field and the colon, and returns the name's
// index in names, of which each occurs once. It returns false at the end.
func (s *jsonScanner) field(names []string) (int, bool, error) {
	if s.take('}') {
		if s.space(); len(s.rest) > 0 {
			return 0, false, errors.New("is not valid JSON: text after the object")
		}
		return 0, false, nil
	}
	if s.seen != 0 && !s.take(',') {
		return 0, false, errors.New("is not valid JSON: want , or } after a field")
	}
	name, err := s.key()
	if err != nil {
		return 0, false, err
	}
	for i, field := range names {
		if string(name) != field {
			continue
		}
		if s.has(i) {
			return 0, false, invalidField(field, "occurs twice")
		}
		s.seen |= 1 << i
		return i, true, nil
	}
	return 0, false, unknownFieldError(name)
}

// unknownFieldError is the name of a field that rows of a format do not have.
type unknownFieldError string

func (e unknownFieldError) Error() string { return fmt.Sprintf("unknown field %.80q", string(e)) }

// key reads a field's name and the colon.
func (s *jsonScanner) key() ([]byte, error) {
	if !s.take('"') {
		return nil, errors.New("is not valid JSON: want a field's name in quotes")
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 {
		return nil, errors.New("is not valid JSON: a name without its closing quote")
	}
	name := s.rest[:end]
	s.rest = s.rest[end+1:]
	if !s.take(':') {
		return nil, fmt.Errorf("is not valid JSON: want : after the name %.80q", name)
	}
	return name, nil
}

// require checks that the object has the first n of its fields.
func (s *jsonScanner) require(names []string) error {
	for i, name := range names {
		if !s.has(i) {
			return invalidField(name, "is missing")
		}
	}
	return nil
}

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

// decimal reads a number as it is written, for decimalNs to check.
func (s *jsonScanner) decimal() []byte {
	s.space()
	end := 0
	for end < len(s.rest) && strings.IndexByte(" ,}\t\r\n", s.rest[end]) < 0 {
		end++
	}
	number := s.rest[:end]
	s.rest = s.rest[end:]
	return number
}

// signed reads a whole number.
func (s *jsonScanner) signed(field string) (int64, error) {
	text := s.decimal()
	value, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || len(text) > 1 && text[0] == '0' || text[0] == '+' {
		return 0, invalidField(field, "must be an integer of 64 bits, got %.80q", text)
	}
	return value, nil
}

// tokens reads a count of tokens from 1 on.
func (s *jsonScanner) tokens(field string) (int32, error) {
	count, err := s.integer(field)
	if err != nil {
		return 0, err
	}
	return tokens(field, count)
}

// answer reads a count of tokens, which may be 0.
func (s *jsonScanner) answer(field string) (int32, error) {
	count, err := s.integer(field)
	if err != nil {
		return 0, err
	}
	return answer(field, count)
}
