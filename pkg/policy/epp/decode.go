// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// decodeStrict fills a struct from an object and reports every field that the
// struct does not have or that has another type, with its path.
func decodeStrict(n node, into any, path *field.Path) field.ErrorList {
	d := decoder{}
	d.value(n, reflect.ValueOf(into).Elem(), path)
	return d.errs
}

// decodeParameters is decodeStrict for a plugin's parameters, whose names the
// EPP takes in any case.
func decodeParameters(n node, into any, path *field.Path) field.ErrorList {
	d := decoder{anyCase: true}
	d.value(n, reflect.ValueOf(into).Elem(), path)
	return d.errs
}

type decoder struct {
	anyCase bool
	errs    field.ErrorList
}

// scalar is a type that reads itself from a node. The error says what it must
// be.
type scalar interface{ decode(node) error }

// value fills a Go value. As in encoding/json, null leaves it as it is.
func (d *decoder) value(n node, into reflect.Value, path *field.Path) {
	if raw, ok := into.Addr().Interface().(*node); ok {
		*raw = n
		return
	}
	if n.kind == nullNode {
		return
	}
	if s, ok := into.Addr().Interface().(scalar); ok {
		if err := s.decode(n); err != nil {
			d.invalid(n, path, err.Error())
		}
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		d.value(n, into.Elem(), path)
	case reflect.Struct:
		d.object(n, into, path)
	case reflect.Slice:
		d.list(n, into, path)
	case reflect.Map:
		d.texts(n, into, path)
	default:
		d.basic(n, into, path)
	}
}

func (d *decoder) object(n node, into reflect.Value, path *field.Path) {
	if n.kind != objectNode {
		d.invalid(n, path, "must be an object")
		return
	}
	byField := map[int]string{}
	for _, m := range n.fields {
		at := path.Child(m.name)
		i := d.find(into.Type(), m.name)
		if i < 0 {
			d.errs = append(d.errs, field.Forbidden(at, unknownField(into, m.name)))
			continue
		}
		// The same name twice has been reported before; here it is for names
		// that differ in case.
		if first, twice := byField[i]; twice && first != m.name {
			d.errs = append(d.errs, field.Forbidden(at, fmt.Sprintf("duplicate field: the same as %s", first)))
		}
		byField[i] = m.name
		d.value(m.value, into.Field(i), at)
	}
}

// movedFields is a type that knows what became of fields that it does not have.
type movedFields interface{ moved(name string) string }

func unknownField(into reflect.Value, name string) string {
	if t, ok := into.Addr().Interface().(movedFields); ok {
		if where := t.moved(name); where != "" {
			return "unknown field; " + where
		}
	}
	names := fieldNames(into.Type())
	if len(names) == 0 {
		return "unknown field; there are none"
	}
	return "unknown field; there are " + strings.Join(names, ", ")
}

// find returns the index of the struct's field with that name, or -1.
func (d *decoder) find(t reflect.Type, name string) int {
	folded := -1
	for i := range t.NumField() {
		switch known := jsonName(t.Field(i)); {
		case known == name:
			return i
		case d.anyCase && folded < 0 && strings.EqualFold(known, name):
			folded = i
		}
	}
	return folded
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		names = append(names, jsonName(t.Field(i)))
	}
	slices.Sort(names)
	return names
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func (d *decoder) list(n node, into reflect.Value, path *field.Path) {
	if n.kind != listNode {
		d.invalid(n, path, "must be a list")
		return
	}
	list := reflect.MakeSlice(into.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		d.value(item, list.Index(i), path.Index(i))
	}
	into.Set(list)
}

// texts fills a map from strings to strings.
func (d *decoder) texts(n node, into reflect.Value, path *field.Path) {
	if n.kind != objectNode {
		d.invalid(n, path, "must be an object")
		return
	}
	texts := map[string]string{}
	for _, m := range n.fields {
		var text string
		d.value(m.value, reflect.ValueOf(&text).Elem(), path.Key(m.name))
		texts[m.name] = text
	}
	into.Set(reflect.ValueOf(texts))
}

func (d *decoder) basic(n node, into reflect.Value, path *field.Path) {
	switch into.Kind() {
	case reflect.String:
		if n.kind != stringNode {
			d.invalid(n, path, "must be a string")
			return
		}
		into.SetString(n.text)
	case reflect.Bool:
		if n.kind != booleanNode {
			d.invalid(n, path, "must be true or false")
			return
		}
		into.SetBool(n.text == "true")
	case reflect.Int, reflect.Int64:
		v, err := strconv.ParseInt(n.text, 10, 64)
		if n.kind != numberNode || err != nil {
			d.invalid(n, path, "must be a whole number")
			return
		}
		into.SetInt(v)
	case reflect.Float64:
		v, err := strconv.ParseFloat(n.text, 64)
		if n.kind != numberNode || err != nil {
			d.invalid(n, path, "must be a number")
			return
		}
		into.SetFloat(v)
	default:
		panic(fmt.Sprintf("epp: decode into %s", into.Type()))
	}
}

func (d *decoder) invalid(n node, path *field.Path, detail string) {
	d.errs = append(d.errs, field.Invalid(path, n.plain(), detail))
}
