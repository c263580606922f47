// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxFaults bounds the faults of one report: what is no report at all has thousands.
const maxFaults = 20

// A decoder fills the types of a report from YAML nodes, which know their lines, and
// gathers all faults.
type decoder struct {
	faults field.ErrorList
	types  map[reflect.Type]structType
}

func (d *decoder) add(fault *field.Error) {
	if len(d.faults) < maxFaults {
		d.faults = append(d.faults, fault)
	}
}

// invalid says what a node must be.
func (d *decoder) invalid(n *yamlv3.Node, path *field.Path, format string, args ...any) {
	var value any = field.OmitValueType{}
	if n.Kind == yamlv3.ScalarNode {
		value = cut(n.Value)
	}
	d.add(field.Invalid(path, value, fmt.Sprintf("line %d: ", n.Line)+fmt.Sprintf(format, args...)))
}

// maxShown is how much of a text an error repeats.
const maxShown = 80

func cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// decode fills a value. The tag is that of the field that holds it.
func (d *decoder) decode(n *yamlv3.Node, into reflect.Value, tag reflect.StructTag, path *field.Path) {
	if n.Kind == yamlv3.AliasNode {
		d.invalid(n, path, "must be the value itself: this reader takes no YAML aliases here")
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.decode(n, into.Elem(), tag, path)
	case reflect.Struct:
		if s, ok := into.Addr().Interface().(*Standardized); ok {
			d.standardized(n, s, path)
			return
		}
		d.object(n, into, path)
		d.checkUnits(into, tag, path)
	case reflect.Slice:
		d.list(n, into, tag, path)
	case reflect.Map, reflect.Interface:
		d.free(n, into, tag, path)
	default:
		d.scalar(n, into, tag, path)
	}
}

// object fills a struct by its tags.
func (d *decoder) object(n *yamlv3.Node, into reflect.Value, path *field.Path) {
	s := d.typeOf(into.Type())
	if n.Kind != yamlv3.MappingNode {
		d.invalid(n, path, "must be an object with %s", strings.Join(s.names(), ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := path.Child(cut(key.Value))
		if seen[key.Value] {
			d.add(field.Duplicate(at, fmt.Sprintf("line %d", key.Line)))
			continue
		}
		seen[key.Value] = true
		switch f := s.find(key.Value); {
		case f != nil && isNull(value) && !f.required:
		case f != nil:
			d.decode(value, into.FieldByIndex(f.index), f.tag, at)
		case s.extra != nil:
			d.extra(key.Value, value, into.FieldByIndex(s.extra), at)
		default:
			d.add(field.Forbidden(at, fmt.Sprintf("line %d: unknown field; there are %s", key.Line, strings.Join(s.names(), ", "))))
		}
	}
	for _, f := range s.fields {
		if f.required && !seen[f.name] {
			d.add(field.Required(path.Child(f.name), fmt.Sprintf("the object of line %d lacks it", n.Line)))
		}
	}
}

func (d *decoder) typeOf(t reflect.Type) *structType {
	s, known := d.types[t]
	if !known {
		s = fieldsOf(t)
		d.types[t] = s
	}
	return &s
}

func isNull(n *yamlv3.Node) bool { return n.Kind == yamlv3.ScalarNode && n.ShortTag() == "!!null" }

func (d *decoder) list(n *yamlv3.Node, into reflect.Value, tag reflect.StructTag, path *field.Path) {
	if n.Kind != yamlv3.SequenceNode {
		d.invalid(n, path, "must be a list")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		if len(d.faults) == maxFaults {
			return
		}
		d.decode(item, into.Index(i), tag, path.Index(i))
	}
}

// free fills a part whose form is not known.
func (d *decoder) free(n *yamlv3.Node, into reflect.Value, tag reflect.StructTag, path *field.Path) {
	if tag.Get("scalar") != "" && (n.Kind != yamlv3.ScalarNode || isNull(n)) {
		d.invalid(n, path, "must be a number, a text or true or false")
		return
	}
	if into.Kind() == reflect.Map && n.Kind != yamlv3.MappingNode {
		d.invalid(n, path, "must be an object")
		return
	}
	value, err := freeValue(n)
	switch {
	case err != nil:
		d.invalid(n, path, "%s", err)
	case into.Kind() == reflect.Map:
		into.Set(reflect.ValueOf(value))
	case value != nil:
		into.Set(reflect.ValueOf(value))
	}
}

// extra keeps a field of a part whose other fields are free.
func (d *decoder) extra(key string, n *yamlv3.Node, into reflect.Value, path *field.Path) {
	value, err := freeValue(n)
	if err != nil {
		d.invalid(n, path, "%s", err)
		return
	}
	if into.IsNil() {
		into.Set(reflect.ValueOf(map[string]any{}))
	}
	into.Interface().(map[string]any)[key] = value
}

// standardized fills an engine or a generic component, by its kind.
func (d *decoder) standardized(n *yamlv3.Node, into *Standardized, path *field.Path) {
	kind := ""
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Kind == yamlv3.MappingNode && n.Content[i].Value == "kind" {
			kind = n.Content[i+1].Value
		}
	}
	switch kind {
	case EngineKind:
		into.Engine = &InferenceEngine{}
		d.object(n, reflect.ValueOf(into.Engine).Elem(), path)
	case GenericKind:
		into.Generic = &Generic{}
		d.object(n, reflect.ValueOf(into.Generic).Elem(), path)
	default:
		d.invalid(n, path, "must be an object with a kind, %s or %s", GenericKind, EngineKind)
	}
}

// checkUnits makes sure that statistics and series have a unit of their field.
func (d *decoder) checkUnits(value reflect.Value, tag reflect.StructTag, path *field.Path) {
	group := tag.Get("units")
	if group == "" {
		return
	}
	// A missing unit is a fault already.
	if name := value.FieldByName("Units").String(); name != "" && !slices.Contains(unitNames(group), name) {
		d.add(field.NotSupported(path.Child("units"), cut(name), unitNames(group)))
	}
}
