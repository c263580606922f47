// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// reader collects the faults of a profile.
type reader struct{ errs field.ErrorList }

func (r *reader) fault(err *field.Error) { r.errs = append(r.errs, err) }

// object is a mapping of a profile. Its methods read a field each, and note a fault where
// the field is not what it should be; they then return zero. Fields that remain unread are
// faults when it is done.
type object struct {
	*reader
	path   *field.Path
	fields map[string]any
	known  []string
	// written are the names of fields in the profile, where they differ.
	written map[string]string
}

// at is the path of a field.
func (o *object) at(name string) *field.Path {
	if written, ok := o.written[name]; ok {
		name = written
	}
	if o.path == nil {
		return field.NewPath(name)
	}
	return o.path.Child(name)
}

// has reports whether a field is there and not null.
func (o *object) has(name string) bool { return o.fields[name] != nil }

// take returns a field's value, nil where it is not there. A marker of a template is a
// fault: its value is unknown.
func (o *object) take(name string) any {
	o.known = append(o.known, name)
	value := o.fields[name]
	if text, ok := value.(string); ok && strings.Contains(text, "REPLACE_ENV_") {
		o.fault(field.Invalid(o.at(name), text, "is a marker of a template: put a value in its place"))
		return nil
	}
	return value
}

// ignore says that fields do not matter to traffic.
func (o *object) ignore(names ...string) { o.known = append(o.known, names...) }

// refuse notes a fault for each of the fields that is there.
func (o *object) refuse(why string, names ...string) {
	for _, name := range names {
		if o.known = append(o.known, name); o.has(name) {
			o.fault(field.Forbidden(o.at(name), why))
		}
	}
}

// done notes the fields that remain unread.
func (o *object) done() {
	if o == nil {
		return
	}
	slices.Sort(o.known)
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !slices.Contains(o.known, name) {
			o.fault(field.Forbidden(o.at(name), "unknown field; there are "+strings.Join(slices.Compact(o.known), ", ")))
		}
	}
}

// wrong notes that a field is of another kind.
func (o *object) wrong(name string, value any, kind string) {
	o.fault(field.Invalid(o.at(name), fmt.Sprint(value), "must be "+kind))
}

// child returns a mapping, nil where it is not there.
func (o *object) child(name string) *object {
	value := o.take(name)
	if value == nil {
		return nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		o.wrong(name, value, "an object")
		return nil
	}
	return &object{reader: o.reader, path: o.at(name), fields: fields}
}

// required is child of a mapping that must be there.
func (o *object) required(name string) *object {
	if !o.has(name) {
		o.known = append(o.known, name)
		o.fault(field.Required(o.at(name), ""))
		return nil
	}
	return o.child(name)
}

// children returns a list of mappings.
func (o *object) children(name string) []*object {
	value := o.take(name)
	if value == nil {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		o.wrong(name, value, "a list")
		return nil
	}
	var all []*object
	for i, value := range list {
		fields, ok := value.(map[string]any)
		if !ok {
			o.fault(field.Invalid(o.at(name).Index(i), fmt.Sprint(value), "must be an object"))
			continue
		}
		all = append(all, &object{reader: o.reader, path: o.at(name).Index(i), fields: fields})
	}
	return all
}

// text returns a string, otherwise where it is not there.
func (o *object) text(name, otherwise string) string {
	value := o.take(name)
	if value == nil {
		return otherwise
	}
	text, ok := value.(string)
	if !ok {
		o.wrong(name, value, "a text")
	}
	return text
}

// word returns one of several words.
func (o *object) word(name, otherwise string, words ...string) string {
	text := o.text(name, otherwise)
	if !slices.Contains(words, text) && text != otherwise {
		o.fault(field.NotSupported(o.at(name), text, words))
		return ""
	}
	return text
}

// names are what the API takes as names.
var names = regexp.MustCompile(`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`)

// name returns a name, empty if it is absent.
func (o *object) name(name string) string {
	text := o.text(name, "")
	if text != "" && (len(text) > 63 || !names.MatchString(text)) {
		o.fault(field.Invalid(o.at(name), text, "must be at most 63 letters, digits, dots, - and _, and begin and end with a letter or a digit"))
	}
	return text
}

// number returns a number in an interval, otherwise where it is not there.
func (o *object) number(name string, otherwise, low, high float64) float64 {
	value := o.take(name)
	if value == nil {
		return otherwise
	}
	text, ok := value.(json.Number)
	x, err := text.Float64()
	if !ok || err != nil {
		o.wrong(name, value, "a number")
		return otherwise
	}
	if x < low || x > high {
		o.fault(field.Invalid(o.at(name), x, fmt.Sprintf("must be between %g and %g", low, high)))
		return otherwise
	}
	return x
}

// whole is number of a whole number.
func (o *object) whole(name string, otherwise, low, high int64) int64 {
	x := o.number(name, float64(otherwise), float64(low), float64(high))
	if x != float64(int64(x)) {
		o.fault(field.Invalid(o.at(name), x, "must be a whole number"))
		return otherwise
	}
	return int64(x)
}

// demand notes fields that are not there and must be.
func (o *object) demand(why string, names ...string) bool {
	all := true
	for _, name := range names {
		if !o.has(name) {
			o.known = append(o.known, name)
			o.fault(field.Required(o.at(name), why))
			all = false
		}
	}
	return all
}

// flag returns a truth value, false where it is not there.
func (o *object) flag(name string) bool {
	value := o.take(name)
	truth, ok := value.(bool)
	if value != nil && !ok {
		o.wrong(name, value, "true or false")
	}
	return truth
}
