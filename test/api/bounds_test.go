// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A testCase is a document and the fault that it must have, or must not have.
type testCase struct {
	name string
	doc  object
	// at and fault name the fault; the document may have others.
	at    string
	fault string
	// bad says that the fault must be there. any says that only the agreement
	// of both sides counts.
	bad, any bool
}

// A probe is a value to try in a node's place.
type probe struct {
	name  string
	at    place
	value any
	fault string
	// where is the place of the fault, if not at.
	where place
	bad   bool
	any   bool
}

// boundCases vary one value of a document at a time: each bound of the schema
// is met once at its edge and once beyond.
func boundCases(name string, doc object, all []node) []testCase {
	var cases []testCase
	for _, n := range all {
		for _, p := range probes(n) {
			where := p.where
			if where == nil {
				where = p.at
			}
			cases = append(cases, testCase{
				name:  fmt.Sprintf("%s/%s/%s", name, p.at, p.name),
				doc:   with(doc, p.at, p.value).(object),
				at:    where.String(),
				fault: p.fault,
				bad:   p.bad,
				any:   p.any,
			})
		}
	}
	return cases
}

func probes(n node) []probe {
	probes := []probe{
		{name: "null", at: n.at, value: nil, any: true},
		{name: "wrong type", at: n.at, value: wrongType(n.schema), fault: "must be of type", bad: true},
	}
	probes = append(probes, numberProbes(n)...)
	probes = append(probes, stringProbes(n)...)
	probes = append(probes, listProbes(n)...)
	probes = append(probes, mapProbes(n)...)
	return append(probes, fieldProbes(n)...)
}

func wrongType(s *props) any {
	if s.Type == "string" {
		return 5
	}
	if s.XIntOrString {
		return true
	}
	return "text"
}

func numberProbes(n node) []probe {
	var probes []probe
	if n.schema.Minimum != nil {
		edge := int64(*n.schema.Minimum)
		probes = append(probes,
			probe{name: "least", at: n.at, value: edge, fault: "should be greater than or equal to"},
			probe{name: "too little", at: n.at, value: edge - 1, fault: "should be greater than or equal to", bad: true})
	}
	if n.schema.Maximum != nil {
		edge := int64(*n.schema.Maximum)
		probes = append(probes,
			probe{name: "greatest", at: n.at, value: edge, fault: "should be less than or equal to"},
			probe{name: "too great", at: n.at, value: edge + 1, fault: "should be less than or equal to", bad: true})
	}
	if n.schema.Type == "integer" {
		probes = append(probes,
			probe{name: "whole float", at: n.at, value: json.Number("8.0"), any: true},
			probe{name: "fraction", at: n.at, value: 1.5, bad: true})
	}
	return probes
}

func stringProbes(n node) []probe {
	var probes []probe
	if n.schema.MinLength != nil {
		edge := int(*n.schema.MinLength)
		probes = append(probes,
			probe{name: "shortest", at: n.at, value: letters(edge), fault: "chars long"},
			probe{name: "too short", at: n.at, value: letters(edge - 1), fault: "chars long", bad: true})
	}
	if n.schema.MaxLength != nil {
		edge := int(*n.schema.MaxLength)
		probes = append(probes,
			probe{name: "longest", at: n.at, value: letters(edge), fault: "Too long"},
			probe{name: "too long", at: n.at, value: letters(edge + 1), fault: "Too long", bad: true})
	}
	if n.schema.Pattern != "" && !n.schema.XIntOrString {
		shortest := 1
		if n.schema.MinLength != nil {
			shortest = max(1, int(*n.schema.MinLength))
		}
		probes = append(probes,
			probe{name: "in pattern", at: n.at, value: n.value, fault: "should match"},
			probe{name: "out of pattern", at: n.at, value: strings.Repeat("\n", shortest), fault: "should match", bad: true})
	}
	for _, allowed := range n.schema.Enum {
		var value any
		if err := json.Unmarshal(allowed.Raw, &value); err != nil {
			panic(err)
		}
		probes = append(probes, probe{name: fmt.Sprint("value ", value), at: n.at, value: value, fault: "Unsupported value"})
	}
	if len(n.schema.Enum) > 0 {
		probes = append(probes, probe{name: "no such value", at: n.at, value: "Other", fault: "Unsupported value", bad: true})
	}
	return probes
}

func letters(n int) string { return strings.Repeat("a", n) }

func listProbes(n node) []probe {
	list, ok := n.value.([]any)
	if !ok {
		return nil
	}
	var probes []probe
	if n.schema.MinItems != nil {
		edge := int(*n.schema.MinItems)
		probes = append(probes,
			probe{name: "shortest list", at: n.at, value: entries(n, edge), fault: "should have at least"},
			probe{name: "too short a list", at: n.at, value: entries(n, edge-1), fault: "should have at least", bad: true})
	}
	if n.schema.MaxItems != nil {
		edge := int(*n.schema.MaxItems)
		probes = append(probes,
			probe{name: "longest list", at: n.at, value: entries(n, edge), fault: "Too many"},
			probe{name: "too long a list", at: n.at, value: entries(n, edge+1), fault: "Too many", bad: true})
	}
	if n.schema.XListType != nil && *n.schema.XListType != "atomic" {
		twice := append(list[:len(list):len(list)], list[0])
		probes = append(probes, probe{
			name: "entry twice", at: n.at, value: twice,
			fault: "Duplicate value", where: n.at.child(len(list)), bad: true,
		})
	}
	return probes
}

// entries makes a list of a given length out of a node's first entry, each with
// a key of its own.
func entries(n node, count int) []any {
	list := []any{}
	first := n.value.([]any)[0]
	for i := range count {
		entry := first
		switch {
		case len(n.schema.XListMapKeys) > 0:
			name := n.schema.XListMapKeys[0]
			var key any = fmt.Sprintf("k%d", i)
			if n.schema.Items.Schema.Properties[name].Type == "integer" {
				key = i + 1
			}
			entry = with(first, place{name}, key)
		case n.schema.Items.Schema.Type == "integer":
			entry = i
		case n.schema.Items.Schema.Type == "string":
			entry = fmt.Sprintf("v%d", i)
		}
		list = append(list, entry)
	}
	return list
}

// mapProbes are about maps with keys of the user's choice.
func mapProbes(n node) []probe {
	if n.schema.MaxProperties == nil {
		return nil
	}
	edge := int(*n.schema.MaxProperties)
	return []probe{
		{name: "most keys", at: n.at, value: keys(edge), fault: "Too many"},
		{name: "too many keys", at: n.at, value: keys(edge + 1), fault: "Too many", bad: true},
	}
}

// keys makes a map of texts with so many keys.
func keys(count int) object {
	m := object{}
	for i := range count {
		m[fmt.Sprintf("k%d", i)] = "v"
	}
	return m
}

func fieldProbes(n node) []probe {
	if _, ok := n.value.(object); !ok {
		return nil
	}
	var probes []probe
	for _, name := range n.schema.Required {
		probes = append(probes,
			probe{name: "required is there", at: n.at, value: n.value, fault: "Required value", where: n.at.child(name)},
			probe{name: "required is missing", at: n.at.child(name), value: removed{}, fault: "Required value", bad: true})
	}
	if len(n.schema.Properties) > 0 {
		probes = append(probes,
			probe{name: "empty", at: n.at, value: object{}, any: true},
			probe{name: "unknown field", at: n.at.child("unheardOf"), value: 1, fault: "unknown field", bad: true})
	}
	return probes
}
