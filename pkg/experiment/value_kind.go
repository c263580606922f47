// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// valueKind is what may be written at the end of a path.
type valueKind int

const (
	integerValue  valueKind = iota // a whole number
	numberValue                    // any number
	decimalValue                   // a number written as a string
	stringValue                    // any text
	booleanValue                   // true or false
	durationValue                  // such as 50ms
	bytesValue                     // such as 512Gi
)

func (k valueKind) Numeric() bool {
	return k == integerValue || k == numberValue || k == decimalValue
}

func (k valueKind) String() string {
	return [...]string{"a whole number", "a number", "a decimal number", "a string", "true or false", "a duration such as 50ms", "a number of bytes such as 512Gi"}[k]
}

// Canonical writes a value the one way that its equals are written too: equal
// values make equal keys.
func (k valueKind) Canonical(value string) (string, error) {
	wrong := fmt.Errorf("must be %s", k)
	switch k {
	case integerValue:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "", wrong
		}
		return strconv.FormatInt(n, 10), nil
	case numberValue, decimalValue:
		number, err := search.CanonicalDecimal(value)
		if err != nil {
			return "", wrong
		}
		return number, nil
	case booleanValue:
		if value != "true" && value != "false" {
			return "", wrong
		}
	case durationValue:
		d, err := time.ParseDuration(value)
		if _, number := strconv.ParseFloat(value, 64); err != nil && number == nil {
			return "", fmt.Errorf("%w: write %ss for seconds", wrong, value)
		}
		if err != nil {
			return "", wrong
		}
		return d.String(), nil
	case bytesValue:
		q, err := resource.ParseQuantity(value)
		if err != nil {
			return "", wrong
		}
		q.RoundUp(0)
		return q.String(), nil
	}
	return value, nil
}

// Encode turns a parameter's value into what JSON holds at such a leaf.
func (k valueKind) Encode(value string) (any, error) {
	value, err := k.Canonical(value)
	if err != nil {
		return nil, err
	}
	switch k {
	case integerValue, numberValue:
		return json.Number(value), nil
	case booleanValue:
		return value == "true", nil
	default:
		return value, nil
	}
}

// PickerConfigPath leads to the EPP's configuration in a scenario.
var PickerConfigPath = []Segment{{Name: "router"}, {Name: "endpointPickerConfig"}}

// BeneathPickerConfig reports whether a path leads into the EPP's configuration.
func BeneathPickerConfig(path []Segment) bool {
	n := len(PickerConfigPath)
	return len(path) > n && slices.Equal(path[:n], PickerConfigPath)
}

// namesAnInput reports whether a path leads to what says which recorded traffic,
// catalogue or table is used. It was read when the scenario was compiled, so
// that a change of it would change nothing.
func namesAnInput(path []Segment) bool {
	text := Render(path)
	for _, input := range []string{"workload.trace.file", "workload.trace.format", "workload.trace.configMapRef",
		"workload.trace.persistentVolumeClaim", "workload.trace.image", "workload.trace.sha256", "catalogue"} {
		if text == input || strings.HasPrefix(text, input+".") || strings.HasPrefix(text, input+"[") {
			return true
		}
	}
	return len(path) > 3 && path[0].Name == "pools" && path[2].Name == "latency" && path[3].Name == "table"
}

// resolve finds out what may be written at path in a scenario, or says where
// the path goes wrong and what could stand there.
func resolve(scenario Tree, path []Segment) (valueKind, error) {
	if BeneathPickerConfig(path) {
		return resolveByValue(scenario, path)
	}
	if namesAnInput(path) {
		return 0, fmt.Errorf("names an input, which a sweep does not vary; make one sweep for each")
	}
	return resolveByType(scenario, path)
}

// resolveByValue is for the EPP's configuration: it spells out every default,
// so that what is not in the document does not exist.
func resolveByValue(scenario Tree, path []Segment) (valueKind, error) {
	var at any = scenario
	for i, s := range path {
		next, err := child(at, s)
		if err != nil {
			return 0, fmt.Errorf("at %q: %w", Render(path[:i+1]), err)
		}
		if next == nil {
			return 0, fmt.Errorf("at %q: no such field; there are %s", Render(path[:i+1]), spelling.Quote(fieldNames(at.(Tree))))
		}
		at = next
	}
	switch v := at.(type) {
	case json.Number:
		return numberValue, nil
	case string:
		return stringValue, nil
	case bool:
		return booleanValue, nil
	case Tree:
		return 0, fmt.Errorf("leads to an object; go on to one of its fields %s", spelling.Quote(fieldNames(v)))
	default:
		return 0, fmt.Errorf("leads to a list; name one of its entries in brackets")
	}
}

var leafTypes = map[reflect.Type]valueKind{
	reflect.TypeFor[v1alpha1.Decimal]():            decimalValue,
	reflect.TypeFor[v1alpha1.PositiveDecimal]():    decimalValue,
	reflect.TypeFor[v1alpha1.NonNegativeDecimal](): decimalValue,
	reflect.TypeFor[v1alpha1.Microseconds]():       decimalValue,
	reflect.TypeFor[v1alpha1.Fraction]():           decimalValue,
	reflect.TypeFor[v1alpha1.Bytes]():              bytesValue,
	reflect.TypeFor[v1alpha1.Duration]():           durationValue,
	reflect.TypeFor[v1alpha1.PositiveDuration]():   durationValue,
	reflect.TypeFor[v1alpha1.RefreshInterval]():    durationValue,
}

var leafKinds = map[reflect.Kind]valueKind{
	reflect.Int32:  integerValue,
	reflect.Int64:  integerValue,
	reflect.String: stringValue,
	reflect.Bool:   booleanValue,
}

// resolveByType is for the scenario's own fields, which may be absent and
// still exist.
func resolveByType(scenario Tree, path []Segment) (valueKind, error) {
	var at any = scenario
	typ := reflect.TypeFor[v1alpha1.Scenario]()
	for i, s := range path {
		next, err := childType(typ, s)
		if err == nil && at != nil {
			at, err = child(at, s)
		} else if err == nil && s.Entry {
			err = fmt.Errorf("there is no entry %s; the list is empty", s)
		}
		if err != nil {
			return 0, fmt.Errorf("at %q: %w", Render(path[:i+1]), err)
		}
		typ = next
	}
	if kind, ok := leafTypes[typ]; ok {
		return kind, nil
	}
	if kind, ok := leafKinds[typ.Kind()]; ok {
		return kind, nil
	}
	if typ.Kind() == reflect.Struct {
		return 0, fmt.Errorf("leads to an object; go on to one of its fields %s", spelling.Quote(jsonFields(typ)))
	}
	return 0, fmt.Errorf("leads to a list; name one of its entries in brackets")
}

func childType(typ reflect.Type, s Segment) (reflect.Type, error) {
	if s.Entry {
		if typ.Kind() != reflect.Slice {
			return nil, fmt.Errorf("%s does not follow a list", s)
		}
		return typ.Elem(), nil
	}
	if _, isLeaf := leafTypes[typ]; isLeaf || typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("no such field; what stands before it has none")
	}
	for i := range typ.NumField() {
		if f := typ.Field(i); jsonName(f) == s.Name {
			if f.Type.Kind() == reflect.Pointer {
				return f.Type.Elem(), nil
			}
			return f.Type, nil
		}
	}
	return nil, fmt.Errorf("no such field; there are %s", spelling.Quote(jsonFields(typ)))
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func jsonFields(typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		names = append(names, jsonName(typ.Field(i)))
	}
	slices.Sort(names)
	return names
}
