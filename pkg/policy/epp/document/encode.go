// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// An encoder writes what a release can read: fields with a versions tag only
// where it has them. Otherwise it does what encoding/json does.
type encoder struct {
	dialect version.Dialect
	at      version.Release
	out     bytes.Buffer
}

// A dated value, a pointer to a struct, is of another release than its document.
type dated interface {
	ReleaseIn(d version.Dialect) version.Release
}

// Encode writes a document as JSON that a version can read.
func Encode(document any, d version.Dialect) []byte {
	e := encoder{dialect: d, at: d.Framework}
	e.Value(reflect.ValueOf(document))
	return e.out.Bytes()
}

func (e *encoder) Value(v reflect.Value) {
	if d, ok := v.Interface().(dated); ok {
		outer := e.at
		e.at = d.ReleaseIn(e.dialect)
		e.object(v.Elem())
		e.at = outer
		return
	}
	if _, ok := v.Interface().(json.Marshaler); ok {
		e.plain(v)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			e.out.WriteString("null")
			return
		}
		e.Value(v.Elem())
	case reflect.Struct:
		e.object(v)
	case reflect.Slice:
		if v.IsNil() {
			e.out.WriteString("null")
			return
		}
		e.out.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				e.out.WriteByte(',')
			}
			e.Value(v.Index(i))
		}
		e.out.WriteByte(']')
	default:
		e.plain(v)
	}
}

func (e *encoder) plain(v reflect.Value) {
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		panic(fmt.Sprintf("epp: marshal %s: %v", v.Type(), err))
	}
	e.out.Write(raw)
}

func (e *encoder) object(v reflect.Value) {
	t := v.Type()
	e.out.WriteByte('{')
	first := true
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if other := f.Tag.Get("name"); other != "" {
			name, options = other, "omitempty"
		}
		if !f.IsExported() || name == "-" || !RangeOf(f).Has(e.at) || omitted(v.Field(i), strings.Split(options, ",")) {
			continue
		}
		before := e.out.Len()
		if !first {
			e.out.WriteByte(',')
		}
		fmt.Fprintf(&e.out, "%q:", name)
		started := e.out.Len()
		e.Value(v.Field(i))
		if strings.Contains(options, "omitempty") && string(e.out.Bytes()[started:]) == "{}" && v.Field(i).Kind() == reflect.Struct {
			// Nothing of it is for this release.
			e.out.Truncate(before)
			continue
		}
		first = false
	}
	e.out.WriteByte('}')
}

func omitted(v reflect.Value, options []string) bool {
	if slices.Contains(options, "omitzero") && v.IsZero() {
		return true
	}
	if !slices.Contains(options, "omitempty") {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
