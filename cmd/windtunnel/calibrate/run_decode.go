// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// decodeRunFile reads YAML into a run's description. The errors say the line and
// what there is instead, as the user wrote it.
func decodeRunFile(raw []byte, into *runFile) error {
	var root yamlv3.Node
	if err := yamlv3.Unmarshal(raw, &root); err != nil {
		return err
	}
	if len(root.Content) > 0 {
		if errs := typeErrors(root.Content[0], reflect.TypeOf(*into), nil); len(errs) > 0 {
			return fmt.Errorf("does not describe a run:\n%s", cli.BulletList(errs))
		}
	}
	return yaml.UnmarshalStrict(raw, into)
}

// typeErrors returns where a YAML node is not of a type: fields that the type does
// not have, and values of another kind.
func typeErrors(n *yamlv3.Node, t reflect.Type, path *field.Path) field.ErrorList {
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	if n.Tag == "!!null" {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeErrors(n, t.Elem(), path)
	case reflect.Struct:
		return objectTypeErrors(n, t, path)
	case reflect.Slice:
		if n.Kind != yamlv3.SequenceNode {
			return typeError(n, path, "a list")
		}
		var errs field.ErrorList
		for i, item := range n.Content {
			errs = append(errs, typeErrors(item, t.Elem(), path.Index(i))...)
		}
		return errs
	case reflect.String:
		if n.Tag != "!!str" {
			return typeError(n, path, "a text; numbers and words such as true need quotes")
		}
	default:
		if n.Tag != "!!int" {
			return typeError(n, path, "a whole number")
		}
	}
	return nil
}

func objectTypeErrors(n *yamlv3.Node, t reflect.Type, path *field.Path) field.ErrorList {
	if n.Kind != yamlv3.MappingNode {
		return typeError(n, path, "an object with "+strings.Join(fieldNames(t), ", "))
	}
	var errs field.ErrorList
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		known := slices.Index(fieldNames(t), key.Value)
		if known < 0 {
			errs = append(errs, field.Forbidden(path.Child(key.Value),
				fmt.Sprintf("line %d: unknown field; there are %s", key.Line, strings.Join(fieldNames(t), ", "))))
			continue
		}
		errs = append(errs, typeErrors(value, t.Field(known).Type, path.Child(key.Value))...)
	}
	return errs
}

// fieldNames returns the names of a struct's fields in their order.
func fieldNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

func typeError(n *yamlv3.Node, path *field.Path, want string) field.ErrorList {
	var value any = field.OmitValueType{}
	if n.Kind == yamlv3.ScalarNode {
		value = n.Value
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("line %d: must be %s", n.Line, want))}
}
