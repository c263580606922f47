// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// strictFault is the error of a field that a bundle does not have, or has twice, at its path.
func strictFault(err error, path *field.Path) *field.Error {
	var at interface{ FieldPath() string }
	if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), "unknown field") {
		return field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	text := "unknown field"
	steps := strings.Split(at.FieldPath(), ".")
	last := len(steps) - 1
	if known := fieldsAt(steps[:last]); len(known) > 0 {
		text += "; there are " + strings.Join(known, ", ")
		if near := spelling.Slip(steps[last], known); near != "" {
			text += "; did you mean " + near + "?"
		}
	}
	if last > 0 && slices.Contains([]string{"code", "file", "from", "path", "script", "url"}, steps[last]) {
		text += insteadOfAFile[steps[last-1]]
	}
	return field.Forbidden(path.Child(steps[0], steps[1:]...), text)
}

// insteadOfAFile says for the languages of programs where a program stands.
var insteadOfAFile = map[string]string{
	"starlark": "; source is the text of the program",
	"wasm":     "; moduleFrom is the name of a file next to the bundle, and module its bytes in base64",
}

// fieldsAt are the names of the fields of what a path leads to in a bundle; nil where it leaves it.
func fieldsAt(steps []string) []string {
	at := reflect.TypeFor[Bundle]()
	for _, step := range steps {
		name, _, _ := strings.Cut(step, "[")
		i := slices.Index(fieldNames(at), name)
		if i < 0 {
			return nil
		}
		at = at.Field(i).Type
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice {
			at = at.Elem()
		}
	}
	return fieldNames(at)
}

// fieldNames are the names of a struct's fields in a document; nil of other types.
func fieldNames(of reflect.Type) []string {
	var names []string
	for i := 0; of.Kind() == reflect.Struct && i < of.NumField(); i++ {
		if !of.Field(i).IsExported() {
			continue
		}
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
