// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
)

// Parse reads a configuration file, YAML or JSON; of a stream, the first
// document. Where there is no tree, ok is false.
func (l *Loader) Parse(text []byte) (n document.Node, ok bool) {
	raw := text
	if beginsJSON(text) {
		if !json.Valid(text) {
			l.addAt(syntaxStep, document.JSONError(l.path, text))
			return document.Node{}, false
		}
	} else {
		var errs field.ErrorList
		raw, errs = yamlToJSON(text, l.path)
		if raw == nil {
			l.addAt(syntaxStep, errs...)
			return document.Node{}, false
		}
		l.addAt(strictStep, errs...)
	}
	n, err := document.ParseJSON(raw)
	switch {
	case err != nil:
		l.addAt(syntaxStep, document.SyntaxError(l.path, text, err))
		return document.Node{}, false
	case n.Kind == document.NullNode:
		l.Notice(l.path, "empty-document", "the first document is empty, and the EPP reads no other one: it starts with its defaults")
		return document.Node{Kind: document.ObjectNode}, true
	case n.Kind != document.ObjectNode:
		l.addAt(syntaxStep, field.Invalid(l.path, field.OmitValueType{}, "must be an EndpointPickerConfig, not "+n.Kind.String()))
		return document.Node{}, false
	}
	l.addAt(strictStep, document.DuplicateFields(n, l.path)...)
	return n, true
}

// beginsJSON tells texts that the EPP reads as JSON, whatever follows the brace.
func beginsJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
}

// yamlToJSON converts as the EPP does. It returns nil where the text is no YAML.
func yamlToJSON(text []byte, path *field.Path) ([]byte, field.ErrorList) {
	raw, strictErr := yaml.YAMLToJSONStrict(text)
	if strictErr == nil {
		return raw, nil
	}
	// The conversion names lines, but no paths.
	var root yamlv3.Node
	parsed := yamlv3.Unmarshal(text, &root) == nil
	raw, err := yaml.YAMLToJSON(text)
	if err != nil {
		if errs := notFinite(&root, path); parsed && len(errs) > 0 {
			return nil, errs
		}
		return nil, field.ErrorList{document.SyntaxError(path, text, err)}
	}
	if parsed {
		if errs := duplicateKeys(&root, path); len(errs) > 0 {
			return raw, errs
		}
	}
	return raw, field.ErrorList{document.SyntaxError(path, text, strictErr)}
}

// duplicateKeys reports keys that stand in one YAML mapping more than once.
func duplicateKeys(n *yamlv3.Node, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, child := range n.Content {
		switch n.Kind {
		case yamlv3.DocumentNode:
			errs = append(errs, duplicateKeys(child, path)...)
		case yamlv3.SequenceNode:
			errs = append(errs, duplicateKeys(child, path.Index(i))...)
		case yamlv3.MappingNode:
			if i%2 == 1 {
				continue
			}
			at := path.Child(child.Value)
			if seen[child.Value] {
				errs = append(errs, field.Forbidden(at, "duplicate field"))
			}
			seen[child.Value] = true
			errs = append(errs, duplicateKeys(n.Content[i+1], at)...)
		}
	}
	return errs
}

// notFinite reports numbers of YAML that JSON does not have: .nan and .inf.
func notFinite(n *yamlv3.Node, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, child := range n.Content {
		switch {
		case n.Kind == yamlv3.DocumentNode:
			errs = append(errs, notFinite(child, path)...)
		case n.Kind == yamlv3.SequenceNode:
			errs = append(errs, notFinite(child, path.Index(i))...)
		case n.Kind == yamlv3.MappingNode && i%2 == 1:
			errs = append(errs, notFinite(child, path.Child(n.Content[i-1].Value))...)
		}
	}
	word := strings.ToLower(strings.TrimLeft(n.Value, "+-."))
	if n.ShortTag() == "!!float" && (word == "nan" || word == "inf") {
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, n.Value+": must be a finite number"))
	}
	return errs
}
