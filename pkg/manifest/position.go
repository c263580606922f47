// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// node parses a document into YAML nodes, which know their lines. It is for
// faults only: objects are decoded by the API server's own decoder. A document
// that this parser does not take gives nil.
func (d document) node() *yamlv3.Node {
	var root yamlv3.Node
	if err := yamlv3.Unmarshal(d.text, &root); err != nil || len(root.Content) == 0 {
		return nil
	}
	return root.Content[0]
}

// lineOf is the line of find.
func (d document) lineOf(root *yamlv3.Node, path string) int {
	line, _ := d.find(root, path)
	return line
}

// find finds the line of a field in the file, such as spec.pools[0].name, and its value for a
// message. A path may lead on into YAML that stands as a text in the file. A field that is not there
// has no value, and the line of the deepest one around it; without nodes every field is where the
// document starts.
func (d document) find(root *yamlv3.Node, path string) (line int, value string) {
	at := root
	line = d.line
	if root != nil {
		line = d.fileLine(root)
	}
	for rest := path; rest != "" && at != nil; {
		var key string
		if at.Kind == yamlv3.ScalarNode && at.Style&yamlv3.LiteralStyle != 0 {
			// The first line of a literal text is the one below its node's.
			inside := document{text: append(bytes.Repeat([]byte("\n"), at.Line), at.Value...), line: line}
			return inside.find(inside.node(), rest)
		}
		key, rest = nextKey(rest)
		var name *yamlv3.Node
		if name, at = step(at, key); name != nil {
			line = d.fileLine(name)
		}
	}
	if at != nil {
		value = asWritten(at)
	}
	return line, value
}

// fileLine counts from the file's beginning: YAML is padded, JSON is not.
func (d document) fileLine(n *yamlv3.Node) int {
	if d.json {
		return d.line + n.Line - 1
	}
	return n.Line
}

// nextKey cuts the first step off a path. Keys of maps stand in brackets, as
// entries of lists do, and may hold dots.
func nextKey(path string) (key, rest string) {
	path = strings.TrimPrefix(path, ".")
	if strings.HasPrefix(path, "[") {
		if end := strings.IndexByte(path, ']'); end > 0 {
			return path[1:end], path[end+1:]
		}
	}
	if end := strings.IndexAny(path, ".["); end > 0 {
		return path[:end], path[end:]
	}
	return path, ""
}

// step goes from a node to what is under a key or an index: the node that the
// line is taken from, and the value.
func step(at *yamlv3.Node, key string) (name, value *yamlv3.Node) {
	if at.Kind == yamlv3.AliasNode {
		at = at.Alias
	}
	switch at.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == key {
				return at.Content[i], at.Content[i+1]
			}
		}
	case yamlv3.SequenceNode:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(at.Content) {
			return at.Content[i], at.Content[i]
		}
	}
	return nil, nil
}

// duplicateKeys returns the paths of keys that stand in one mapping more than
// once, in the order of the file.
func duplicateKeys(root *yamlv3.Node) []string {
	var paths []string
	walk(root, "", func(path string, _ *yamlv3.Node, again bool) {
		if again {
			paths = append(paths, path)
		}
	})
	return paths
}

// walk visits the fields and entries below a node in the order of the file. again says that a key
// stands in its mapping for a second time.
func walk(n *yamlv3.Node, path string, visit func(path string, value *yamlv3.Node, again bool)) {
	if n == nil {
		return
	}
	seen := map[string]bool{}
	for i, child := range n.Content {
		switch {
		case n.Kind == yamlv3.SequenceNode:
			at := path + "[" + strconv.Itoa(i) + "]"
			visit(at, child, false)
			walk(child, at, visit)
		case n.Kind == yamlv3.MappingNode && i%2 == 0:
			at := strings.TrimPrefix(path+"."+child.Value, ".")
			visit(at, n.Content[i+1], seen[child.Value])
			seen[child.Value] = true
			walk(n.Content[i+1], at, visit)
		}
	}
}

// notFinite are the faults of numbers of YAML that JSON has not: .nan and .inf.
func notFinite(root *yamlv3.Node) field.ErrorList {
	var errs field.ErrorList
	walk(root, "", func(path string, value *yamlv3.Node, _ bool) {
		if word := strings.ToLower(strings.TrimLeft(value.Value, "+-.")); value.ShortTag() == "!!float" && (word == "nan" || word == "inf") {
			errs = append(errs, &field.Error{Type: field.ErrorTypeInvalid, Field: path, BadValue: field.OmitValueType{}, Detail: value.Value + ": must be a finite number"})
		}
	})
	return errs
}
