// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// reader collects what is wrong with a file.
type reader struct{ errs field.ErrorList }

// object is one object of a file. Of a null, or of a field that is not there, it is empty.
type object struct {
	*reader
	fields map[string]any
	// at is the path of a field.
	at func(name string) *field.Path
}

func (r *reader) object(fields map[string]any, path *field.Path) object {
	return object{r, fields, func(name string) *field.Path {
		if path == nil {
			return field.NewPath(name)
		}
		return path.Child(name)
	}}
}

// child is an object below; an empty one if it is absent.
func (o object) child(name string) object {
	fields, is := o.fields[name].(map[string]any)
	if v := o.fields[name]; v != nil && !is {
		o.errs = append(o.errs, field.Invalid(o.at(name), shown(v), "must be an object"))
	}
	return o.reader.object(fields, o.at(name))
}

// below is child for each of the names.
func (o object) below(names ...string) object {
	for _, name := range names {
		o = o.child(name)
	}
	return o
}

func (o object) has(name string) bool { return o.fields[name] != nil }

// text is a field that is a text; empty where it is not there.
func (o object) text(name string) string {
	switch v := o.fields[name].(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	default:
		o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name), shown(v), "must be a text"))
		return ""
	}
}

// number is a field that is a number of at least 0; NaN where it is not there.
func (o object) number(name string) float64 {
	v := o.fields[name]
	if v == nil {
		return math.NaN()
	}
	n, ok := number(v)
	if !ok || n < 0 {
		o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name), shown(v), "must be a number of at least 0"))
		return math.NaN()
	}
	return n
}

// needed is a number above 0 without which the file says too little.
func (o object) needed(name, why string) float64 {
	n := o.number(name)
	if !o.has(name) || n == 0 {
		o.reader.errs = append(o.reader.errs, field.Required(o.at(name), why))
	}
	return n
}

// The greatest counts of requests that make sense.
const (
	maxRequests    = 1e9
	maxConcurrency = 100_000
)

// count is a whole number from 1 on without which the file says too little.
func (o object) count(name string, most float64, why string) int {
	n := o.needed(name, why)
	if o.has(name) && n > 0 && (n > most || n != math.Floor(n)) {
		o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name), shown(o.fields[name]), fmt.Sprintf("must be a whole number between 1 and %.0f", most)))
	}
	return int(min(first(n, 0), most))
}

// known is a number without which the file says too little; it may be 0.
func (o object) known(name, why string) float64 {
	if !o.has(name) {
		o.reader.errs = append(o.reader.errs, field.Required(o.at(name), why))
	}
	return o.number(name)
}

// number takes the numbers of JSON, and those of CSV, which are texts.
func number(v any) (float64, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// numbers is a list of numbers; nil where it is not there.
func (o object) numbers(name string) []float64 {
	list, is := o.fields[name].([]any)
	if !is {
		if v := o.fields[name]; v != nil {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name), shown(v), "must be a list of numbers"))
		}
		return nil
	}
	all := make([]float64, len(list))
	for i, v := range list {
		n, ok := number(v)
		if !ok || n < 0 {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name).Index(i), shown(v), "must be a number of at least 0"))
			return nil
		}
		all[i] = n
	}
	return all
}

// objects is a list of objects; nil where it is not there.
func (o object) objects(name string) []object {
	list, is := o.fields[name].([]any)
	if !is {
		if v := o.fields[name]; v != nil {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name), shown(v), "must be a list"))
		}
		return nil
	}
	var all []object
	for i, v := range list {
		fields, is := v.(map[string]any)
		if !is {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name).Index(i), shown(v), "must be an object"))
			return nil
		}
		all = append(all, o.reader.object(fields, o.at(name).Index(i)))
	}
	return all
}

// shown is a value as an error repeats it.
func shown(v any) any {
	switch v := v.(type) {
	case map[string]any, []any:
		return field.OmitValueType{}
	case string:
		if len(v) > 40 {
			return v[:40]
		}
		return v
	default:
		return v
	}
}
