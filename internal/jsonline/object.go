// SPDX-License-Identifier: Apache-2.0

package jsonline

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// An Object appends structs of one type as encoding/json writes them without the escapes for HTML,
// by a list of fields that is made once. Fields are texts, whole numbers, float64, bool, structs,
// and pointers to and lists of these. NaN and the infinities are null.
type Object struct{ fields []objectField }

type objectField struct {
	index int
	key   string // with quotes and colon; "" of an embedded struct
	// omits says whether a value is left out.
	omits func(reflect.Value) bool
	// write appends a value; embedded is that of an embedded struct.
	write    func([]byte, reflect.Value) []byte
	embedded *Object
}

// NewObject returns the fields of a struct. It panics where the type has others than those above.
func NewObject[T any]() *Object { return objectOf(reflect.TypeFor[T]()) }

func objectOf(t reflect.Type) *Object {
	o := &Object{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			o.fields = append(o.fields, objectField{index: i, embedded: objectOf(f.Type.Elem()), omits: reflect.Value.IsNil})
		case f.Anonymous:
			o.fields = append(o.fields, objectField{index: i, embedded: objectOf(f.Type), omits: never})
		default:
			o.fields = append(o.fields, objectField{index: i, key: strconv.Quote(name) + ":", omits: omission(options, f.Type), write: writerOf(f.Type)})
		}
	}
	return o
}

// omission is when a field is left out.
func omission(options string, t reflect.Type) func(reflect.Value) bool {
	switch {
	case options == "omitempty" && t.Kind() == reflect.Slice:
		return func(v reflect.Value) bool { return v.Len() == 0 }
	case options == "omitempty" && t.Kind() != reflect.Struct, options == "omitzero":
		return reflect.Value.IsZero
	default:
		return never
	}
}

func never(reflect.Value) bool { return false }

func writerOf(t reflect.Type) func([]byte, reflect.Value) []byte {
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) []byte { return Text(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Int, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.Float64:
		return func(b []byte, v reflect.Value) []byte { return Number(b, v.Float()) }
	case reflect.Pointer:
		return pointerWriter(writerOf(t.Elem()))
	case reflect.Slice:
		return listWriter(writerOf(t.Elem()))
	case reflect.Struct:
		o := objectOf(t)
		return func(b []byte, v reflect.Value) []byte { return append(o.appendFields(append(b, '{'), v), '}') }
	default:
		panic(fmt.Sprintf("jsonline: a field of type %v", t))
	}
}

func pointerWriter(write func([]byte, reflect.Value) []byte) func([]byte, reflect.Value) []byte {
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, "null"...)
		}
		return write(b, v.Elem())
	}
}

func listWriter(write func([]byte, reflect.Value) []byte) func([]byte, reflect.Value) []byte {
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, "null"...)
		}
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = write(b, v.Index(i))
		}
		return append(b, ']')
	}
}

// Append appends the fields of a struct, given by a pointer, to an object that is open.
func (o *Object) Append(b []byte, to any) []byte {
	return o.appendFields(b, reflect.ValueOf(to).Elem())
}

func (o *Object) appendFields(b []byte, v reflect.Value) []byte {
	for i := range o.fields {
		f := &o.fields[i]
		value := v.Field(f.index)
		switch {
		case f.omits(value):
			continue
		case f.embedded != nil:
			b = f.embedded.appendFields(b, reflect.Indirect(value))
			continue
		case b[len(b)-1] != '{':
			b = append(b, ',')
		}
		b = f.write(append(b, f.key...), value)
	}
	return b
}
