// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// scalar fills a text, a number or a truth value.
func (d *decoder) scalar(n *yamlv3.Node, into reflect.Value, tag reflect.StructTag, path *field.Path) {
	if n.Kind != yamlv3.ScalarNode {
		d.invalid(n, path, "must be %s", kindNames[into.Kind()])
		return
	}
	switch into.Kind() {
	case reflect.String:
		d.text(n, into, tag, path)
	case reflect.Bool:
		var value bool
		if n.ShortTag() != "!!bool" || n.Decode(&value) != nil {
			d.invalid(n, path, "must be true or false")
			return
		}
		into.SetBool(value)
	case reflect.Int64:
		value, err := number(n)
		if err != nil || value != math.Trunc(value) || math.Abs(value) > maxWhole {
			d.invalid(n, path, "must be a whole number")
			return
		}
		d.checkBounds(n, value, tag, path)
		into.SetInt(int64(value))
	default:
		d.float(n, into, tag, path)
	}
}

var kindNames = map[reflect.Kind]string{
	reflect.String: "a text", reflect.Bool: "true or false", reflect.Int64: "a whole number", reflect.Float64: "a number",
}

// maxWhole bounds whole numbers to those that a float64 holds exactly.
const maxWhole = 1 << 53

func (d *decoder) float(n *yamlv3.Node, into reflect.Value, tag reflect.StructTag, path *field.Path) {
	value, err := number(n)
	switch {
	case err != nil:
		d.invalid(n, path, "must be a number")
		return
	case math.IsNaN(value), math.IsInf(value, -1), math.IsInf(value, 1) && tag.Get("infinity") == "":
		d.invalid(n, path, "must be a finite number")
		return
	case tag.Get("infinity") != "" && value != math.Trunc(value):
		d.invalid(n, path, "must be a whole number or .inf")
		return
	}
	d.checkBounds(n, value, tag, path)
	into.SetFloat(value)
}

// number reads a number of YAML.
func number(n *yamlv3.Node) (float64, error) {
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" {
		return 0, errors.New("not a number")
	}
	var value float64
	err := n.Decode(&value)
	return value, err
}

// checkBounds makes sure of the bounds of the tags.
func (d *decoder) checkBounds(n *yamlv3.Node, value float64, tag reflect.StructTag, path *field.Path) {
	if least, err := strconv.ParseFloat(tag.Get("min"), 64); err == nil && value < least {
		d.invalid(n, path, "must be at least %v", least)
	}
	if bound, err := strconv.ParseFloat(tag.Get("over"), 64); err == nil && value <= bound {
		d.invalid(n, path, "must be greater than %v", bound)
	}
}

func (d *decoder) text(n *yamlv3.Node, into reflect.Value, tag reflect.StructTag, path *field.Path) {
	date := tag.Get("format") == "date-time"
	if short := n.ShortTag(); short != "!!str" && (!date || short != "!!timestamp") {
		d.invalid(n, path, "must be a text; numbers and words such as true need quotes")
		return
	}
	if enum := tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, ","), n.Value) {
		d.add(field.NotSupported(path, cut(n.Value), strings.Split(enum, ",")))
	}
	if group := tag.Get("units"); group != "" && !slices.Contains(unitNames(group), n.Value) {
		d.add(field.NotSupported(path, cut(n.Value), unitNames(group)))
	}
	if _, err := time.Parse(time.RFC3339, n.Value); date && err != nil {
		d.invalid(n, path, "must be a time such as 2026-01-31T12:00:00Z")
	}
	into.SetString(n.Value)
}

// freeValue reads a part whose form is not known. Its numbers are finite or infinite, and
// its keys are texts.
func freeValue(n *yamlv3.Node) (any, error) {
	var value any
	if err := n.Decode(&value); err != nil {
		return nil, err
	}
	return plain(value)
}

// plain returns a value as [Report.Encode] takes it.
func plain(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		for key, entry := range v {
			p, err := plain(entry)
			if err != nil {
				return nil, err
			}
			v[key] = p
		}
		return v, nil
	case map[any]any:
		texts := make(map[string]any, len(v))
		for key, entry := range v { // in any order
			texts[fmt.Sprint(key)] = entry
		}
		return plain(texts)
	case []any:
		for i, entry := range v {
			p, err := plain(entry)
			if err != nil {
				return nil, err
			}
			v[i] = p
		}
		return v, nil
	case float64:
		if math.IsNaN(v) {
			return nil, errors.New("must hold no NaN")
		}
		return v, nil
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), nil
	case nil, string, bool, int, int64, uint64:
		return v, nil
	default:
		return nil, fmt.Errorf("must hold texts, numbers, true, false, lists and objects, not %T", v)
	}
}
