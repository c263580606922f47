// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Node is a value of a JSON document. Unlike what encoding/json makes of an
// object, it keeps the order of fields and those that stand there twice.
type Node struct {
	Kind nodeKind `json:"-"`
	// text is a string, a number as it is written, or true or false.
	text   string
	items  []Node
	Fields []member `json:"-"`
}

type member struct {
	name  string
	value Node
}

type nodeKind uint8

// Kinds of nodes.
const (
	NullNode nodeKind = iota // also the zero node: what is absent
	booleanNode
	numberNode
	stringNode
	listNode
	ObjectNode
)

func (k nodeKind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// plain returns a scalar as an error prints it.
func (n Node) plain() any {
	switch n.Kind {
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

// ParseJSON reads one JSON value and nothing after it.
func ParseJSON(text []byte) (Node, error) {
	if !json.Valid(text) {
		// Only Unmarshal says what is wrong, and where.
		var ignored json.RawMessage
		return Node{}, json.Unmarshal(text, &ignored)
	}
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	return readNode(tokens), nil
}

// NodeOf returns what ParseJSON makes of the JSON of a value that was decoded with numbers as
// [json.Number].
func NodeOf(value any) Node {
	switch value := value.(type) {
	case map[string]any:
		n := Node{Kind: ObjectNode, Fields: make([]member, 0, len(value))}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			n.Fields = append(n.Fields, member{name: name, value: NodeOf(value[name])})
		}
		return n
	case []any:
		n := Node{Kind: listNode, items: make([]Node, len(value))}
		for i := range value {
			n.items[i] = NodeOf(value[i])
		}
		return n
	default:
		return scalarNode(value)
	}
}

// readNode reads the next value of a valid document.
func readNode(tokens *json.Decoder) Node {
	switch token := nextToken(tokens).(type) {
	case json.Delim:
		if token == '[' {
			return readList(tokens)
		}
		return readObject(tokens)
	default:
		return scalarNode(token)
	}
}

func scalarNode(value any) Node {
	switch value := value.(type) {
	case nil:
		return Node{}
	case bool:
		return Node{Kind: booleanNode, text: strconv.FormatBool(value)}
	case json.Number:
		return Node{Kind: numberNode, text: value.String()}
	case string:
		return Node{Kind: stringNode, text: value}
	default:
		panic(fmt.Sprintf("epp: JSON value %v of type %T", value, value))
	}
}

func readList(tokens *json.Decoder) Node {
	n := Node{Kind: listNode}
	for tokens.More() {
		n.items = append(n.items, readNode(tokens))
	}
	nextToken(tokens)
	return n
}

func readObject(tokens *json.Decoder) Node {
	n := Node{Kind: ObjectNode}
	for tokens.More() {
		name := nextToken(tokens).(string)
		n.Fields = append(n.Fields, member{name: name, value: readNode(tokens)})
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

// DuplicateFields reports fields that stand in one object more than once. Those
// of parameters are read by the plugins, which take the last one.
func DuplicateFields(n Node, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, item := range n.items {
		errs = append(errs, DuplicateFields(item, path.Index(i))...)
	}
	seen := map[string]bool{}
	for _, m := range n.Fields {
		at := path.Child(m.name)
		if seen[m.name] {
			errs = append(errs, field.Forbidden(at, "duplicate field"))
		}
		seen[m.name] = true
		if m.name != "parameters" {
			errs = append(errs, DuplicateFields(m.value, at)...)
		}
	}
	return errs
}

// Json is the value as it was read.
func (n Node) Json() string {
	switch n.Kind {
	case listNode:
		return "[" + joined(n.items, Node.Json) + "]"
	case ObjectNode:
		return "{" + joined(n.Fields, func(m member) string { return quoted(m.name) + ":" + m.value.Json() }) + "}"
	case stringNode:
		return quoted(n.text)
	case NullNode:
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
