// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A typeFault is a value of another type than the schema has.
type typeFault struct {
	field string
	// want and got are types as the schema's validator calls them; got may be empty.
	want, got string
	// written is the value as it stands in the file, if that is known.
	written string
	// rule says what a text must be; empty where the schema has no rule.
	rule string
}

// saidType is how the schema's validator names types.
var saidType = regexp.MustCompile(`must be of type (\w+): "(\w*)"$`)

// typeFaultOf reports whether a fault is about a type.
func typeFaultOf(fault *field.Error) (typeFault, bool) {
	match := saidType.FindStringSubmatch(fault.Detail)
	if fault.Type != field.ErrorTypeTypeInvalid || match == nil {
		return typeFault{}, false
	}
	return typeFault{field: fault.Field, want: match[1], got: match[2]}, true
}

// typeWords are the types of a schema in words.
var typeWords = map[string]string{
	"array": "a list", "boolean": "true or false", "integer": "a whole number", "int32": "a whole number", "int64": "a whole number",
	"null": "nothing", "number": "a number", "float64": "a number with decimals", "object": "an object with fields", "string": "a text",
}

// message says what was given, what the field takes, and what to write.
func (t typeFault) message() string {
	words := cmp.Or(typeWords[t.want], t.want)
	if t.want == "string" && t.rule != "" {
		words = strings.TrimPrefix(t.rule, "must be ")
	}
	given := cmp.Or(t.written, typeWords[t.got], "of another type")
	if t.got != "string" {
		given = strings.Trim(given, `"`) // what YAML 1.1 takes for a boolean is a text for YAML 1.2
	}
	if advice := t.advice(); advice != "" {
		words += ": " + advice
	}
	return fmt.Sprintf("Invalid value: %s: must be %s", given, words)
}

// advice is what to write in place of the commonest slips; empty for others.
func (t typeFault) advice() string {
	bare, err := strconv.Unquote(t.written)
	quoted := err == nil
	switch {
	case t.want == "string" && t.got == "boolean":
		return booleanAdvice
	case t.want == "string" && !isNumber(t.written):
		return ""
	case t.want == "string" && strings.HasPrefix(t.rule, "must be a duration"):
		return fmt.Sprintf("write its unit too, %sms or %[1]ss", t.written)
	case t.want == "string":
		return fmt.Sprintf("write %q", t.written)
	case t.want == "object" && examples[lastKey(t.field)] != "":
		return "such as " + examples[lastKey(t.field)]
	case quoted && (isNumber(bare) && t.want != "boolean" || bare == "true" || bare == "false"):
		return fmt.Sprintf("write %s without quotes", bare)
	}
	return ""
}

// isImplied reports whether a fault is about the type of a value that another one is about: a number
// above the range of a type is above the field's bound too.
func isImplied(e *field.Error, all field.ErrorList) bool {
	_, ofType := typeFaultOf(e)
	return ofType && slices.ContainsFunc(all, func(other *field.Error) bool {
		_, too := typeFaultOf(other)
		return other.Field == e.Field && !too
	})
}

// ruleOf is the rule of a text in the schema of a kind, in words.
func ruleOf(kind, path string) string {
	load, known := definitions[kind]
	if !known {
		return ""
	}
	at := load().at(path)
	if at == nil || len(at.XValidations) == 0 || !strings.HasPrefix(at.XValidations[0].Message, "must be ") {
		return ""
	}
	return at.XValidations[0].Message
}

// asWritten is a value of a file for a message.
func asWritten(n *yamlv3.Node) string {
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind == yamlv3.SequenceNode:
		return "a list"
	case n.Kind == yamlv3.MappingNode:
		return "an object"
	case n.ShortTag() == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// booleanAdvice is for texts that YAML 1.1 takes for true or false.
const booleanAdvice = "YAML reads y, n, yes, no, on and off as booleans: write the text in quotes"

// examples are objects in whose place people write one of their fields, by name.
var examples = map[string]string{
	"arrivals":      `arrivals: {rate: "2.5"}`,
	"calls":         `calls: {mean: "3"}`,
	"closedLoop":    `closedLoop: {concurrency: 10}`,
	"copies":        `copies: {count: 20}`,
	"horizon":       `horizon: {duration: 10m}`,
	"inputTokens":   `inputTokens: {mean: "512"}`,
	"outputTokens":  `outputTokens: {mean: "128"}`,
	"preset":        `preset: {name: Chatbot, rate: "2"}`,
	"profile":       `profile: {shape: Step, at: 5m, factor: "2"}`,
	"replications":  `replications: {count: 3}`,
	"resultTokens":  `resultTokens: {mean: "300"}`,
	"retry":         `retry: {max: 3}`,
	"steps":         `steps: {mean: "4"}`,
	"thinkTime":     `thinkTime: {mean: 5s}`,
	"timeout":       `timeout: {total: 30s}`,
	"tokensPerStep": `tokensPerStep: {mean: "200"}`,
	"turns":         `turns: {mean: "5"}`,
}
