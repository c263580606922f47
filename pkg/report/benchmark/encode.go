// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// Encode returns the report as YAML: equal reports, equal bytes.
func (r *Report) Encode() ([]byte, error) {
	root, err := encode(reflect.ValueOf(r).Elem())
	if err != nil {
		return nil, fmt.Errorf("write a benchmark report: %w", err)
	}
	var b bytes.Buffer
	e := yamlv3.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, fmt.Errorf("write a benchmark report: %w", err)
	}
	return b.Bytes(), e.Close()
}

// encode returns the node of a value.
func encode(v reflect.Value) (*yamlv3.Node, error) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return scalarNode("!!null", "null"), nil
		}
		return encode(v.Elem())
	case reflect.Struct:
		if s, ok := v.Interface().(Standardized); ok {
			return encodeStandardized(s)
		}
		return encodeObject(v)
	case reflect.Map:
		n := &yamlv3.Node{Kind: yamlv3.MappingNode}
		return n, appendMap(n, v)
	case reflect.Slice:
		n := &yamlv3.Node{Kind: yamlv3.SequenceNode}
		for i := range v.Len() {
			item, err := encode(v.Index(i))
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		return n, nil
	default:
		return encodeScalar(v)
	}
}

func encodeStandardized(s Standardized) (*yamlv3.Node, error) {
	if s.Engine != nil {
		return encodeObject(reflect.ValueOf(*s.Engine))
	}
	return encodeObject(reflect.ValueOf(*s.Generic))
}

func encodeObject(v reflect.Value) (*yamlv3.Node, error) {
	n := &yamlv3.Node{Kind: yamlv3.MappingNode}
	s := fieldsOf(v.Type())
	for _, f := range s.fields {
		value := v.FieldByIndex(f.index)
		if !f.required && isEmpty(value) {
			continue
		}
		node, err := encode(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		n.Content = append(n.Content, textNode(f.name), node)
	}
	if s.extra == nil {
		return n, nil
	}
	return n, appendMap(n, v.FieldByIndex(s.extra))
}

// isEmpty is of values without which a field is left out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

// appendMap appends the entries of a map, sorted by key.
func appendMap(n *yamlv3.Node, v reflect.Value) error {
	free, ok := v.Interface().(map[string]any)
	if !ok {
		return fmt.Errorf("a map of %s", v.Type())
	}
	for _, key := range slices.Sorted(maps.Keys(free)) {
		node, err := encode(reflect.ValueOf(&free).Elem().MapIndex(reflect.ValueOf(key)))
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		n.Content = append(n.Content, textNode(key), node)
	}
	return nil
}

func encodeScalar(v reflect.Value) (*yamlv3.Node, error) {
	switch v.Kind() {
	case reflect.String:
		if n, is := v.Interface().(json.Number); is {
			return jsonNumber(n)
		}
		return textNode(v.String()), nil
	case reflect.Bool:
		return scalarNode("!!bool", strconv.FormatBool(v.Bool())), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return scalarNode("!!int", strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint64:
		return scalarNode("!!int", strconv.FormatUint(v.Uint(), 10)), nil
	case reflect.Float64:
		return floatNode(v.Float())
	default:
		return nil, fmt.Errorf("a value of type %s", v.Type())
	}
}

// jsonNumber keeps whole numbers whole.
func jsonNumber(n json.Number) (*yamlv3.Node, error) {
	if i, err := n.Int64(); err == nil {
		return scalarNode("!!int", strconv.FormatInt(i, 10)), nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, err
	}
	return floatNode(f)
}

// floatNode writes a number with a point: without one, YAML 1.1 reads 1e+06 as a text.
func floatNode(f float64) (*yamlv3.Node, error) {
	switch {
	case math.IsNaN(f):
		return nil, fmt.Errorf("a value that is no number")
	case math.IsInf(f, 1):
		return scalarNode("!!float", ".inf"), nil
	case math.IsInf(f, -1):
		return scalarNode("!!float", "-.inf"), nil
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if size := math.Abs(f); size >= 1e-5 && size < 1e15 {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits, exponent, scientific := strings.Cut(text, "e")
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	if scientific {
		digits += "e" + exponent
	}
	return scalarNode("!!float", digits), nil
}

func scalarNode(tag, text string) *yamlv3.Node {
	return &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: tag, Value: text}
}

// bare are texts that no version of YAML takes for anything else; others have quotes.
var (
	bare  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./()-]+)*$`)
	words = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

func textNode(text string) *yamlv3.Node {
	n := scalarNode("!!str", text)
	if !bare.MatchString(text) || words.MatchString(text) {
		n.Style = yamlv3.DoubleQuotedStyle
	}
	return n
}
