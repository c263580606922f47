// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"reflect"
	"slices"
	"strings"
)

// A fieldType is one field of a type of the report.
type fieldType struct {
	name     string
	index    []int
	tag      reflect.StructTag
	required bool
}

// structType are the fields of a type in their order. extra is the place of the map that
// takes all other keys; nil without one.
type structType struct {
	fields []fieldType
	extra  []int
}

// fieldsOf reads the tags of a type, and those of the types that it embeds.
func fieldsOf(t reflect.Type) structType {
	var s structType
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("extra") != "" {
			s.extra = f.Index
			continue
		}
		s.fields = append(s.fields, fieldType{name: name, index: f.Index, tag: f.Tag, required: options != "omitempty"})
	}
	return s
}

func (s *structType) find(name string) *fieldType {
	i := slices.IndexFunc(s.fields, func(f fieldType) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

func (s *structType) names() []string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return names
}
