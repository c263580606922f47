// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"strconv"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

// rowLine is a line of JSON that is read from left to right, in the one form
// that rows have.
type rowLine struct {
	rest []byte
	// other says that the line turned out to have another form.
	other bool
}

// has goes past a text that comes next, or returns false.
func (l *rowLine) has(text string) bool {
	if len(l.rest) < len(text) || string(l.rest[:len(text)]) != text {
		return false
	}
	l.rest = l.rest[len(text):]
	return true
}

// skip goes past a text that must come next.
func (l *rowLine) skip(text string) {
	l.other = !l.has(text) || l.other
}

// plainText goes past a text and the quote behind it. A text that JSON may write
// with escapes has another form.
func (l *rowLine) plainText() []byte {
	end := 0
	for end < len(l.rest) && jsonline.Plain[l.rest[end]] {
		end++
	}
	text := l.rest[:end]
	l.rest = l.rest[end:]
	l.skip(`"`)
	return text
}

// integer goes past an integer.
func (l *rowLine) integer() int64 {
	text := l.numeral()
	n, err := strconv.ParseInt(string(text), 10, 64)
	var digits [20]byte
	l.other = l.other || err != nil || !bytes.Equal(text, strconv.AppendInt(digits[:0], n, 10))
	return n
}

// number goes past a number that is written with as few digits as give it.
func (l *rowLine) number() float64 {
	text := l.numeral()
	x, err := strconv.ParseFloat(string(text), 64)
	var digits [32]byte
	l.other = l.other || err != nil || !bytes.Equal(text, jsonline.Number(digits[:0], x))
	return x
}

// numeral goes past what may be a number.
func (l *rowLine) numeral() []byte {
	end := 0
	for end < len(l.rest) && numeric[l.rest[end]] {
		end++
	}
	text := l.rest[:end]
	l.rest = l.rest[end:]
	return text
}

// numeric tells the characters of numbers.
var numeric = func() (set [256]bool) {
	for _, c := range "+-.0123456789e" {
		set[c] = true
	}
	return set
}()
