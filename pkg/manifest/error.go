// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/clip"
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
	// written are the values in File that the faults are about, as people read them; "" of fields that are not there.
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
		case isImplied(fault, e.Errs):
			continue
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
	if wrong, is := typeFaultOf(e.Errs[i]); is && i < len(e.written) && e.written[i] != "" {
		wrong.written = e.written[i]
		wrong.rule = ruleOf(e.Kind, e.Errs[i].Field)
		return wrong.message()
	}
	return Message(e.Errs[i])
}

// plainBounds are words for bounds in place of those of the schema.
var plainBounds = strings.NewReplacer("should be greater than or equal to ", "must be at least ", "should be less than or equal to ", "must be at most ")

// Message is a fault without its field, with what to do about the commonest
// slips.
func Message(fault *field.Error) string {
	text := clip.Values(fault.ErrorBody())
	// The schema names the field again.
	if before, after, is := strings.Cut(text, ": "+fault.Field+" in body "); is {
		text = before + ": " + plainBounds.Replace(after)
	}
	if wrong, is := typeFaultOf(fault); is {
		return wrong.message()
	}
	if value, ok := fault.BadValue.(string); ok && strings.Contains(fault.Detail, "must be a duration") && isNumber(value) {
		return fmt.Sprintf("%s: write its unit too, %sms or %[2]ss", text, value)
	}
	if fault.Type == field.ErrorTypeDuplicate && strings.HasPrefix(fault.Field, "spec.scenario.routers[") {
		text += ": give each router of one model a name and its pools, and say how requests are divided, such as route: {backends: [{router: stable, weight: 90}, {router: canary, weight: 10}]}"
	}
	return text
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
