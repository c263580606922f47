// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"unicode/utf8"
)

// SplitLines splits a text where YAML sees line breaks. Lines keep theirs, so
// that together they are the text.
func SplitLines(text string) []string {
	var lines []string
	for text != "" {
		n := lineLength(text)
		lines = append(lines, text[:n])
		text = text[n:]
	}
	return lines
}

// lineLength is how many bytes the first line has, its break included.
func lineLength(text string) int {
	for i, r := range text {
		switch r {
		case '\r':
			if strings.HasPrefix(text[i:], "\r\n") {
				return i + 2
			}
			return i + 1
		case '\n', '\u0085', '\u2028', '\u2029':
			return i + utf8.RuneLen(r)
		}
	}
	return len(text)
}

// WithoutBreak is a line without its line break.
func WithoutBreak(line string) string {
	return strings.TrimRight(line, "\r\n\u0085\u2028\u2029")
}

// ConfigKind is the kind of all versions.
const ConfigKind = "EndpointPickerConfig"
