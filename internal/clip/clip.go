// SPDX-License-Identifier: Apache-2.0

// Package clip makes texts fit into places of a bounded size. What a message quotes is cut
// before what it says.
package clip

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxValue is how many bytes of a value a message repeats.
	maxValue = 160
	// mark stands in the place of what is cut.
	mark = "…"
)

// Text cuts a text to a number of bytes: first the values that it quotes, then its end.
func Text(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = Values(text)
	if len(text) <= most {
		return text
	}
	return beginning(text, max(most-len(mark), 0)) + mark
}

// Values cuts the middle of each long value in a text: of what is in double quotes, and of a
// word.
func Values(text string) string {
	var b strings.Builder
	for text != "" {
		n := valueLength(text)
		b.WriteString(ends(text[:n]))
		text = text[n:]
	}
	return b.String()
}

// valueLength returns the bytes of the value that a text begins with: what is in quotes, or
// what ends before a space or a quote.
func valueLength(text string) int {
	if text[0] == '"' {
		if n := quotedLength(text); n > 0 {
			return n
		}
	}
	if n := strings.IndexAny(text[1:], " \n\t\""); n >= 0 {
		return n + 1
	}
	return len(text)
}

// quotedLength returns the bytes to the quote that ends a value; 0 if none does. A backslash
// protects the next character.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// ends returns a value with the mark in place of its middle if it is long.
func ends(value string) string {
	if len(value) <= maxValue {
		return value
	}
	head := strings.TrimRight(beginning(value, maxValue*3/4), `\`)
	at := len(value) - maxValue/4
	for at < len(value)-1 && (!utf8.RuneStart(value[at]) || value[at-1] == '\\') {
		at++
	}
	return head + mark + value[at:]
}

// beginning returns whole characters of at most a number of bytes.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
