// SPDX-License-Identifier: Apache-2.0

// Package printable makes texts of others safe to print: messages of programs, notes of services,
// names in files, words of objects that others may write. A terminal obeys control characters,
// and characters that are invisible or turn the direction of writing hide what is there.
package printable

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"windtunnel.dev/windtunnel/internal/clip"
)

// Text is a text of any number of lines in which every character is visible: the others, but for
// newlines and tabs, are written as JSON escapes them, and bytes that are not UTF-8 as \xNN. A JSON
// document has the same values afterwards, and a text that is printable stays as it is.
func Text(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case strings.HasPrefix(text, "\r\n"):
			size = 2
			b.WriteByte('\n')
		case isPrintable(r, size):
			b.WriteString(text[:size])
		default:
			escape(&b, r, text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Masked is a Text with the same number of characters: a mark stands for each that is not visible.
// It is for fields whose length a schema bounds.
func Masked(text string) string {
	if isPlain(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isPrintable(r, utf8.RuneLen(r)) {
			return r
		}
		return utf8.RuneError
	}, text)
}

// isPlain reports whether all characters are those of ASCII that need no escape.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// isPrintable reports whether a character of a number of bytes can be printed as it is. The
// ranges of the last line are letters and marks, and invisible.
func isPrintable(r rune, size int) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r == utf8.RuneError && size == 1, r == '\u2028', r == '\u2029':
		return false
	}
	return unicode.IsGraphic(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func escape(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// Line is a Text on one line: what separates words is one space each.
func Line(text string) string { return Text(strings.Join(strings.Fields(text), " ")) }

// mostOfName bounds a name, in bytes: that of a Kubernetes object is not longer.
const mostOfName = 253

// Name is a name on one line, which is short enough for a table. Different names stay different: a
// long one has a part of its SHA-256 in place of its end.
func Name(name string) string {
	text := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Text(name))
	if len(text) <= mostOfName {
		return text
	}
	mark := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:16]
	return clip.Text(text, mostOfName-len(mark)) + mark
}

// Clip is a Line of at most a number of bytes, of which [clip.Text] cuts values first.
func Clip(text string, most int) string { return clip.Text(Line(text), most) }

// Markdown or HTML may obey these characters anywhere in a line, and those at its beginning.
const (
	special   = "\\`*[<&|"
	beginning = "#>+-="
)

// Markdown is a Line as words in Markdown, also in a cell of a table: neither Markdown nor HTML.
func Markdown(text string) string {
	var b strings.Builder
	line := []rune(Line(text))
	for i, r := range line {
		// An underscore within a word is one.
		within := i > 0 && i+1 < len(line) && isWord(line[i-1]) && isWord(line[i+1])
		if strings.ContainsRune(special, r) || i == 0 && strings.ContainsRune(beginning, r) || r == '_' && !within {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// HTML is a Line as words in HTML or SVG.
func HTML(text string) string { return html.EscapeString(Line(text)) }

// A Writer writes everything as a [Text].
type Writer struct {
	to io.Writer
	// begun is the beginning of a character, or a carriage return, that the next bytes continue.
	begun []byte
}

// NewWriter returns a writer to another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns what the writer writes to, for those who write bytes that are not a text.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	all := slices.Concat(w.begun, p)
	end := complete(all)
	w.begun = bytes.Clone(all[end:])
	if _, err := io.WriteString(w.to, Text(string(all[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// complete is where bytes end that nothing continues.
func complete(all []byte) int {
	if bytes.HasSuffix(all, []byte("\r")) {
		return len(all) - 1
	}
	for back := 1; back <= min(utf8.UTFMax-1, len(all)); back++ {
		if at := len(all) - back; utf8.RuneStart(all[at]) {
			if !utf8.FullRune(all[at:]) {
				return at
			}
			break
		}
	}
	return len(all)
}
