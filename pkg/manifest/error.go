// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An InvalidError holds all faults of one document.
type InvalidError struct {
	// File is the name that Read was given.
	File string
	// Document counts from 1; empty documents do not count.
	Document int
	// Kind and Name are empty where they could not be read.
	Kind, Name string
	// Errs are the faults, in the order of their lines. Those about the document as a whole have no field.
	Errs field.ErrorList
	// Lines are where the faults are in File, counted from 1:
	// len(Lines) == len(Errs).
	Lines []int
	// written are the texts of the values in File that the faults are about; "" of other than scalars.
	written []string
}

// Error gives one line a fault, each with all there is to find it.
func (e *InvalidError) Error() string {
	var lines []string
	for _, fault := range e.Faults() {
		text := fault.Message
		if fault.Path != "" {
			text = fault.Path + ": " + text
		}
		lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", e.File, fault.Line, e.document(), text))
	}
	return strings.Join(lines, "\n")
}

// A Fault is one fault of a document, for people: its line in the file, the field
// (empty for the document as a whole), and what is wrong with it.
type Fault struct {
	Line          int
	Path, Message string
}

// Faults are the faults worth telling, in the order of their lines.
func (e *InvalidError) Faults() []Fault {
	var faults []Fault
	for i, fault := range e.Errs {
		switch {
		case !aboutNoField(fault):
			faults = append(faults, Fault{e.Lines[i], fault.Field, e.message(i)})
		case len(e.Errs) == 1:
			faults = append(faults, Fault{Line: e.Lines[i], Message: fault.Detail})
		default:
			continue // the schema's remark that it left rules unchecked
		}
	}
	return faults
}

func (e *InvalidError) document() string {
	text := fmt.Sprintf("document %d", e.Document)
	if e.Kind != "" {
		text += ", " + e.Kind
	}
	if e.Kind != "" && e.Name != "" {
		text += " " + e.Name
	}
	return text
}

// aboutNoField tells faults whose field path says nothing: the CEL stage prints
// that of a whole object as <nil>.
func aboutNoField(fault *field.Error) bool { return fault.Field == "" || fault.Field == "<nil>" }

// message is a fault without its field.
func (e *InvalidError) message(i int) string {
	fault := e.Errs[i]
	if isNumberForText(fault) && i < len(e.written) && e.written[i] != "" {
		return fmt.Sprintf("Invalid value: %s: must be of type string: write the number in quotes: %[1]q; a duration has its unit too, such as 600s", e.written[i])
	}
	return Message(fault)
}

// isNumberForText reports whether a number stands where the schema has a text.
func isNumberForText(fault *field.Error) bool {
	return strings.HasSuffix(fault.ErrorBody(), `must be of type string: "integer"`) || strings.HasSuffix(fault.ErrorBody(), `must be of type string: "number"`)
}

// plainBounds are words for bounds in place of those of the schema.
var plainBounds = strings.NewReplacer("should be greater than or equal to ", "must be at least ", "should be less than or equal to ", "must be at most ")

// Message is a fault without its field, with what to do about the commonest
// slips.
func Message(fault *field.Error) string {
	text := fault.ErrorBody()
	// The schema names the field again.
	if before, after, is := strings.Cut(text, ": "+fault.Field+" in body "); is {
		text = before + ": " + plainBounds.Replace(after)
	}
	if isNumberForText(fault) {
		return text + " (write the number in quotes; a duration has its unit too, such as 600s)"
	}
	if strings.HasSuffix(text, `must be of type string: "boolean"`) {
		return text + " (" + booleanAdvice + ")"
	}
	if example, ok := examples[lastKey(fault.Field)]; ok && strings.Contains(text, "must be of type object: ") {
		return fmt.Sprintf("%s (such as %s)", text, example)
	}
	if value, ok := fault.BadValue.(string); ok && strings.Contains(fault.Detail, "must be a duration") && isNumber(value) && !strings.HasSuffix(fault.Detail, "for seconds") {
		return fmt.Sprintf("%s (write %ss for seconds)", text, value)
	}
	return text
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

// lastKey returns the last step of a path that is no index.
func lastKey(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// isNumber reports whether a text is a number without a unit.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// invalid makes an error of a document's faults, in the order of the file.
func (d document) invalid(object map[string]any, errs field.ErrorList) *InvalidError {
	e := &InvalidError{}
	e.Kind, _ = object["kind"].(string)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		e.Name, _ = metadata["name"].(string)
	}
	root := d.node()
	lines, written := make(map[*field.Error]int, len(errs)), make(map[*field.Error]string, len(errs))
	for _, fault := range errs {
		lines[fault], written[fault] = d.find(root, strings.TrimPrefix(fault.Field, "<nil>"))
	}
	e.Errs = slices.SortedStableFunc(slices.Values(errs), func(a, b *field.Error) int {
		return cmp.Compare(lines[a], lines[b])
	})
	for _, fault := range e.Errs {
		e.Lines, e.written = append(e.Lines, lines[fault]), append(e.written, written[fault])
	}
	return e
}
