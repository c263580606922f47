// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A node is a value of a JSON document. Unlike what encoding/json makes of an
// object, it keeps the order of fields and those that stand there twice.
type node struct {
	kind nodeKind
	// text is a string, a number as it is written, or true or false.
	text   string
	items  []node
	fields []member
}

type member struct {
	name  string
	value node
}

type nodeKind uint8

const (
	nullNode nodeKind = iota // also the zero node: what is absent
	booleanNode
	numberNode
	stringNode
	listNode
	objectNode
)

func (k nodeKind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// plain returns a scalar as an error prints it.
func (n node) plain() any {
	switch n.kind {
	case stringNode:
		return n.text
	case booleanNode:
		return n.text == "true"
	case numberNode:
		if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return v
		}
		v, _ := strconv.ParseFloat(n.text, 64)
		return v
	}
	return field.OmitValueType{}
}

// parseJSON reads one JSON value and nothing after it.
func parseJSON(text []byte) (node, error) {
	if !json.Valid(text) {
		// Only Unmarshal says what is wrong, and where.
		var ignored json.RawMessage
		return node{}, json.Unmarshal(text, &ignored)
	}
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	return readNode(tokens), nil
}

// readNode reads the next value of a valid document.
func readNode(tokens *json.Decoder) node {
	switch token := nextToken(tokens).(type) {
	case nil:
		return node{}
	case bool:
		return node{kind: booleanNode, text: fmt.Sprint(token)}
	case json.Number:
		return node{kind: numberNode, text: token.String()}
	case string:
		return node{kind: stringNode, text: token}
	case json.Delim:
		if token == '[' {
			return readList(tokens)
		}
		return readObject(tokens)
	default:
		panic(fmt.Sprintf("epp: JSON token %v of type %T", token, token))
	}
}

func readList(tokens *json.Decoder) node {
	n := node{kind: listNode}
	for tokens.More() {
		n.items = append(n.items, readNode(tokens))
	}
	nextToken(tokens)
	return n
}

func readObject(tokens *json.Decoder) node {
	n := node{kind: objectNode}
	for tokens.More() {
		name := nextToken(tokens).(string)
		n.fields = append(n.fields, member{name: name, value: readNode(tokens)})
	}
	nextToken(tokens)
	return n
}

func nextToken(tokens *json.Decoder) json.Token {
	token, err := tokens.Token()
	if err != nil {
		panic(fmt.Sprintf("epp: a valid JSON document gives %v", err))
	}
	return token
}

// duplicateFields reports fields that stand in one object more than once. Those
// of parameters are read by the plugins, which take the last one.
func duplicateFields(n node, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, item := range n.items {
		errs = append(errs, duplicateFields(item, path.Index(i))...)
	}
	seen := map[string]bool{}
	for _, m := range n.fields {
		at := path.Child(m.name)
		if seen[m.name] {
			errs = append(errs, field.Forbidden(at, "duplicate field"))
		}
		seen[m.name] = true
		if m.name != "parameters" {
			errs = append(errs, duplicateFields(m.value, at)...)
		}
	}
	return errs
}

// json is the value as it was read.
func (n node) json() string {
	switch n.kind {
	case listNode:
		return "[" + joined(n.items, node.json) + "]"
	case objectNode:
		return "{" + joined(n.fields, func(m member) string { return quoted(m.name) + ":" + m.value.json() }) + "}"
	case stringNode:
		return quoted(n.text)
	case nullNode:
		return "null"
	default:
		return n.text
	}
}

func joined[T any](values []T, write func(T) string) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, write(v))
	}
	return strings.Join(texts, ",")
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
