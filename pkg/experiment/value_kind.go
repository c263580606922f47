// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// valueKind is what may be written at the end of a path.
type valueKind int

const (
	integerValue   valueKind = iota // a whole number
	numberValue                     // any number
	decimalValue                    // a number written as a string
	stringValue                     // any text
	booleanValue                    // true or false
	durationValue                   // such as 50ms
	bytesValue                      // such as 512Gi
	parameterValue                  // a number or a word, written as a string
)

func (k valueKind) Numeric() bool {
	return k == integerValue || k == numberValue || k == decimalValue || k == parameterValue
}

func (k valueKind) String() string {
	return [...]string{"a whole number", "a number", "a decimal number", "a string", "true or false", "a duration such as 50ms", "a number of bytes such as 512Gi", "a number or a word"}[k]
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
	case parameterValue:
		if number, err := search.CanonicalDecimal(value); err == nil {
			return number, nil
		}
	case booleanValue:
		if value != "true" && value != "false" {
			return "", wrong
		}
	case durationValue:
		d, err := time.ParseDuration(value)
		if _, number := strconv.ParseFloat(value, 64); err != nil && number == nil {
			return "", fmt.Errorf("%w: write its unit too, %sms or %[2]ss", wrong, value)
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

// RouterPath leads to a router by its name, or else by its model; to the scenario's only one
// where that is empty.
func RouterPath(model string) []Segment {
	if model == "" {
		return []Segment{{Name: "router"}}
	}
	return []Segment{{Name: "routers"}, {Name: model, Entry: true}}
}

// PickerConfigPath leads to the configuration of the EPP of a model's router.
func PickerConfigPath(model string) []Segment {
	return append(RouterPath(model), Segment{Name: "endpointPickerConfig"})
}

// InPickerConfig divides a path that leads to the configuration of an EPP, or into it: by
// the model that the EPP routes for, and the rest of the path.
func InPickerConfig(path []Segment) (model string, rest []Segment, is bool) {
	if len(path) > 1 && path[1].Entry {
		model = path[1].Name
	}
	to := PickerConfigPath(model)
	if len(path) < len(to) || !slices.Equal(path[:len(to)], to) {
		return "", nil, false
	}
	return model, path[len(to):], true
}

// RouterField is the field of a model's router in a scenario, where scenario is its path;
// of the only router where the model is empty.
func RouterField(root Tree, model string, scenario *field.Path) *field.Path {
	routers, _ := root["routers"].([]any)
	for i := range routers {
		if entryName(routers[i]) == model {
			return scenario.Child("routers").Index(i)
		}
	}
	return scenario.Child("router")
}

// BeneathPickerConfig reports whether a path leads into the configuration of an EPP.
func BeneathPickerConfig(path []Segment) bool {
	_, rest, is := InPickerConfig(path)
	return is && len(rest) > 0
}

// namesAnInput reports whether a path leads to what says which recorded traffic,
// catalogue or table is used, or in which format it is. It was read when the scenario was
// compiled, so that a change of it would change nothing.
func namesAnInput(path []Segment) bool {
	switch path[0].Name {
	case "catalogue":
		return true
	case "pools":
		return len(path) > 3 && path[2].Name == "latency" && path[3].Name == "table"
	case "workload":
		of := inTrace(path)
		return len(of) > 0 && slices.Contains(traceInputs, of[0].Name)
	}
	return false
}

// traceInputs are the fields of a trace that say which it is. Those that say which part of
// it is replayed are not among them.
var traceInputs = []string{
	"name", "file", "format", "csv", "order", "configMapRef", "persistentVolumeClaim", "image", "sha256",
}

// inTrace returns what follows in a path after a trace; nothing of other paths.
func inTrace(path []Segment) []Segment {
	switch {
	case len(path) > 2 && path[1].Name == "trace":
		return path[2:]
	case len(path) > 3 && path[1].Name == "traces":
		return path[3:]
	}
	return nil
}

// resolve finds out what may be written at path in a scenario, or says where
// the path goes wrong and what could stand there.
func resolve(scenario Tree, path []Segment) (valueKind, error) {
	if BeneathPickerConfig(path) || beneathBundle(path) || InManifest(path) && Lookup(scenario, path[:3]) != nil {
		return resolveByValue(scenario, path)
	}
	if namesAnInput(path) {
		return 0, fmt.Errorf("names an input, which a sweep does not vary; make one sweep for each")
	}
	if i := slices.IndexFunc(path, func(s Segment) bool { return s.Name == "preset" && !s.Entry }); i > 0 && path[0].Name == "workload" {
		return 0, fmt.Errorf("names a preset, which the client's fields replace before a sweep varies them; vary a field, such as %s.arrivals.rate", Render(path[:i]))
	}
	return resolveByType(scenario, path)
}

// resolveByValue is for the EPP's configuration, which spells out every default, and for
// manifests and bundles, in which a default is not what is stated: what is not in the document does not
// exist.
func resolveByValue(scenario Tree, path []Segment) (valueKind, error) {
	var at any = scenario
	for i, s := range path {
		next, err := child(at, s)
		if err != nil {
			return 0, fmt.Errorf("at %q: %w", Render(path[:i+1]), err)
		}
		if next == nil {
			return 0, fmt.Errorf("at %q: %w", Render(path[:i+1]), noSuchField(s.Name, fieldNames(at.(Tree))))
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
		list, _ := v.([]any)
		return 0, leadsToList(list)
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
	reflect.TypeFor[v1alpha1.PolicyParameter]():    parameterValue,
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
	if typ.Kind() == reflect.Map {
		return 0, fmt.Errorf("leads to an object; go on to one of its fields")
	}
	list, _ := at.([]any)
	return 0, leadsToList(list)
}

func childType(typ reflect.Type, s Segment) (reflect.Type, error) {
	if s.Entry {
		if typ.Kind() != reflect.Slice {
			return nil, fmt.Errorf("%s does not follow a list", s)
		}
		return typ.Elem(), nil
	}
	if typ.Kind() == reflect.Map {
		return typ.Elem(), nil
	}
	if _, isLeaf := leafTypes[typ]; isLeaf || typ.Kind() != reflect.Struct {
		return nil, fmt.Errorf("no such field; what stands before it has none")
	}
	for _, f := range reflect.VisibleFields(typ) {
		if !f.Anonymous && jsonName(f) == s.Name {
			if f.Type.Kind() == reflect.Pointer {
				return f.Type.Elem(), nil
			}
			return f.Type, nil
		}
	}
	return nil, noSuchField(s.Name, jsonFields(typ))
}

// noSuchField names the fields that there are, and the one that was likely meant.
func noSuchField(written string, known []string) error {
	text := "no such field; there are " + spelling.Quote(known)
	if near := spelling.Slip(written, known); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(text)
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func jsonFields(typ reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(typ) {
		if !f.Anonymous {
			names = append(names, jsonName(f))
		}
	}
	slices.Sort(names)
	return names
}
