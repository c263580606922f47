// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// notRendered is what is wrong with a template: what a parser of YAML says of it
// leads nowhere.
const notRendered = "a Helm template that was not rendered: use what helm template prints, or the values file"

// SyntaxError is the error of a text that is no YAML, or no YAML that JSON can
// express. It begins with the line of the text, if that is known.
func SyntaxError(path *field.Path, text []byte, err error) *field.Error {
	return field.Invalid(path, field.OmitValueType{}, SyntaxFault(text, err))
}

// JSONError is the error of a text that begins with a brace, and is no JSON: the EPP
// does not read it as YAML.
func JSONError(path *field.Path, text []byte) *field.Error {
	if line := templateLine(text); line > 0 {
		return field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("line %d: %s", line, notRendered))
	}
	var ignored json.RawMessage
	err := json.Unmarshal(text, &ignored)
	line := 1
	if fault, ok := errors.AsType[*json.SyntaxError](err); ok {
		line += bytes.Count(text[:max(fault.Offset-1, 0)], []byte("\n"))
	}
	return field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("line %d: %v: the EPP reads a text that begins with a brace as JSON", line, err))
}

// SyntaxFault is what a parser said of a text, with the right line.
func SyntaxFault(text []byte, err error) string {
	if line := templateLine(text); line > 0 {
		return fmt.Sprintf("line %d: %s", line, notRendered)
	}
	said := string(bytes.ToValidUTF8([]byte(err.Error()), []byte("?")))
	_, problem := CutLine(said)
	line := faultLine(text, problem)
	if line == 0 {
		return strings.TrimPrefix(said, conversion)
	}
	return fmt.Sprintf("yaml: line %d: %s", line, problem)
}

// conversion is how the EPP's parser of YAML begins a message.
const conversion = "error converting YAML to JSON: "

var saidLine = regexp.MustCompile(`^(?:yaml: )?(?:line ([0-9]+): )?`)

// CutLine splits what is said of a fault of the syntax, as in the detail of an error
// of [Judge], into the line of the text, 0 where none is known, and the problem.
func CutLine(message string) (line int, problem string) {
	message = strings.TrimPrefix(message, conversion)
	match := saidLine.FindStringSubmatch(message)
	line, _ = strconv.Atoi(match[1]) // digits or nothing
	return line, strings.TrimPrefix(message, match[0])
}

// unexpectedToken tells the problems that a parser has with a token. The lines of
// these it counts from 0, those of its scanner from 1.
var unexpectedToken = regexp.MustCompile(`^did not find expected (<.*>|node content|'-' indicator|key|',' or '.')$|^found undefined tag handle$|^found duplicate %|^found incompatible YAML document$`)

// faultLine is the line where a text stops being YAML; 0 where the problem has none.
func faultLine(text []byte, problem string) int {
	met, began := problemLines(text, problem)
	switch {
	case problem == "could not find expected ':'" || problem == "found unexpected end of stream":
		return max(began-1, 0) // the key that is none, the quote that is never closed
	case !unexpectedToken.MatchString(problem):
		return max(met-1, 0)
	}
	lines := SplitLines(string(text))
	unclosed := strings.HasPrefix(problem, "did not find expected ','") && began < met
	if unclosed || met > len(lines) {
		return lastContent(lines, met-1)
	}
	return met
}

// problemLines are where a problem was met, as one parser says it, and where the
// thing began that it is in, as another one does. Both leave out the line numbered 0,
// so they are given the text one line lower.
func problemLines(text []byte, problem string) (met, began int) {
	lower := append([]byte("\n"), text...)
	lineOf := func(err error) int {
		if err != nil {
			if line, same := CutLine(err.Error()); same == problem {
				return line
			}
		}
		return 0
	}
	_, err := yaml.YAMLToJSON(lower)
	met = lineOf(err)
	began = lineOf(yamlv3.Unmarshal(lower, new(yamlv3.Node)))
	return cmp.Or(met, began), cmp.Or(began, met)
}

// lastContent is the last of the first n lines that is neither blank nor a comment,
// counted from 1.
func lastContent(lines []string, n int) int {
	for n = min(n, len(lines)); n > 1; n-- {
		if line := strings.TrimSpace(lines[n-1]); line != "" && line[0] != '#' {
			return n
		}
	}
	return 1
}

// comment begins where YAML has a comment, quotes aside.
var comment = regexp.MustCompile(`(^|\s)#`)

// templateLine is the line of the first action of a template, from 1, or 0.
func templateLine(text []byte) int {
	for i, line := range SplitLines(string(text)) {
		before, _, found := strings.Cut(line, "{{")
		if found && !comment.MatchString(before) {
			return i + 1
		}
	}
	return 0
}
