// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// selectorTokens are the parts of a label selector's text; the last group is
// what is none.
var selectorTokens = regexp.MustCompile(`\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)`)

// checkSelectorText checks a label selector as kubectl takes it: requirements
// with commas between them, each a key, with ! before it or with an operator and
// values behind it.
func checkSelectorText(l *config.Loader, text string, at *field.Path) {
	s := selectorText{l: l, text: text, at: at}
	for _, token := range selectorTokens.FindAllStringSubmatch(text, -1) {
		s.tokens = append(s.tokens, token[1])
	}
	for {
		if !s.requirement() {
			return
		}
		switch next := s.next(); next {
		case "":
			return
		case ",":
		default:
			s.unexpected(next, "a comma")
			return
		}
	}
}

type selectorText struct {
	l      *config.Loader
	text   string
	at     *field.Path
	tokens []string
}

// next takes the next token; "" is the end.
func (s *selectorText) next() string {
	if len(s.tokens) == 0 {
		return ""
	}
	token := s.tokens[0]
	s.tokens = s.tokens[1:]
	return token
}

func (s *selectorText) peek() string {
	if len(s.tokens) == 0 {
		return ""
	}
	return s.tokens[0]
}

// requirement checks one and reports whether it makes sense to go on.
func (s *selectorText) requirement() bool {
	key := s.next()
	absent := key == "!"
	if absent {
		key = s.next()
	}
	if isSign(key) || key == "in" || key == "notin" {
		return s.unexpected(key, "a label")
	}
	checkLabelKey(s.l, key, s.at)
	if end := s.peek(); absent || end == "" || end == "," {
		return true
	}
	switch operator := s.next(); operator {
	case "=", "==", "!=":
		return s.Value()
	case "<", ">":
		return s.number()
	case "in", "notin":
		return s.values(operator)
	default:
		return s.unexpected(operator, "an operator")
	}
}

// Value checks one value, which may be empty.
func (s *selectorText) Value() bool {
	if end := s.peek(); end == "" || end == "," || end == ")" {
		return true
	}
	value := s.next()
	if isSign(value) {
		return s.unexpected(value, "a value")
	}
	checkLabelValue(s.l, value, s.at)
	return true
}

func (s *selectorText) number() bool {
	value := s.next()
	if _, err := strconv.ParseInt(value, 10, 64); err != nil {
		return s.unexpected(value, "an integer")
	}
	return true
}

// values checks those of a set, of which there is at least one.
func (s *selectorText) values(operator string) bool {
	if open := s.next(); open != "(" {
		return s.unexpected(open, "(")
	}
	if s.peek() == ")" {
		return s.unexpected(")", "values of "+operator)
	}
	for {
		if !s.Value() {
			return false
		}
		switch next := s.next(); next {
		case ")":
			return true
		case ",":
		default:
			return s.unexpected(next, "a comma or )")
		}
	}
}

func (s *selectorText) unexpected(token, wanted string) bool {
	found := "the end"
	if token != "" {
		found = strconv.Quote(token)
	}
	s.l.Add(field.Invalid(s.at, s.text, fmt.Sprintf("%s where %s is expected", found, wanted)))
	return false
}

// isSign reports whether a token is none of the words.
func isSign(token string) bool { return token == "" || strings.ContainsAny(token, "=!(),<>") }
