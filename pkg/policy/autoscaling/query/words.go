// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// word is a name or a sign of a query, outside strings. The parser's tree has no places, and
// it accepts more than Prometheus does, so that the words are looked at before.
type word struct {
	text string
	at   int // the byte
	// called says that a bracket follows. nested is the bracket in which the word stands.
	called bool
	nested byte
}

// wordsOf splits a query.
func wordsOf(text string) []word {
	var all []word
	var open []byte
	for at := 0; at < len(text); {
		c, from := text[at], at
		at++
		switch {
		case c == '"' || c == '\'' || c == '`':
			at = endOfString(text, at, c)
		case c == '#':
			line, _, _ := strings.Cut(text[at:], "\n")
			at += len(line)
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, c)
		case strings.IndexByte(")]}", c) >= 0:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case isLetter(c), isDigit(c):
			for at < len(text) && (isLetter(text[at]) || isDigit(text[at]) || text[at] == '.') {
				at++
			}
			w := word{text: text[from:at], at: from, nested: lastOf(open)}
			w.called = strings.HasPrefix(strings.TrimLeft(text[at:], " \t\r\n"), "(")
			all = append(all, w)
		case c == '@' || c == '\\':
			all = append(all, word{text: string(c), at: from, nested: lastOf(open)})
		}
	}
	return all
}

func endOfString(text string, at int, quote byte) int {
	for ; at < len(text); at++ {
		if text[at] == '\\' && quote != '`' {
			at++
			continue
		}
		if text[at] == quote {
			return at + 1
		}
	}
	return len(text)
}

func lastOf(open []byte) byte {
	if len(open) == 0 {
		return 0
	}
	return open[len(open)-1]
}

func isLetter(c byte) bool {
	return c == '_' || c == ':' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// modifiers are words before a bracket that are no functions.
var modifiers = []string{"by", "without", "on", "ignoring", "bool", "and", "or", "unless"}

// refused are words with a meaning to the parser that have none here.
var refused = []string{
	"offset", "@", "with", "default", "if", "ifnot", "group_left", "group_right", "keep_metric_names", "limit",
	"prefix", "fill", "fill_left", "fill_right", "\\",
}

// refuseWords finds fault with what the parser would accept and Prometheus, or this package,
// does not have.
func (c *compiler) refuseWords() {
	for _, w := range c.words {
		lower := strings.ToLower(w.text)
		switch {
		case w.nested == '{':
			if lower == "or" {
				c.fault(w.at, "or between matchers is not supported")
			}
		case w.nested == '[':
			if strings.Contains(w.text, ":") {
				c.fault(w.at, "subqueries are not supported")
			}
		case slices.Contains(refused, lower):
			c.fault(w.at, fmt.Sprintf("%s is not supported", w.text))
		case w.called && !slices.Contains(modifiers, lower) && !isCallable(w.text):
			c.fault(w.at, fmt.Sprintf("the function %s is not supported; those that are: %s", w.text, strings.Join(functions(), ", ")))
		case isDigit(w.text[0]) && !isNumber(w.text):
			c.fault(w.at, fmt.Sprintf("%s is no number", w.text))
		}
	}
}

// find returns the place of a word; −1 if it is absent.
func (c *compiler) find(text string) int {
	for _, w := range c.words {
		if w.text == text {
			return w.at
		}
	}
	return -1
}
