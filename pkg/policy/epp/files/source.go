// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
)

// A Source is one EndpointPickerConfig in a file that may hold other things.
type Source struct {
	// Name says where it stands: "ConfigMap epp, data[default.yaml]". It is
	// empty for a file that is one configuration.
	Name string
	// Text is what the EPP would be given.
	Text []byte
	// Version is the EPP's version, if a manifest of Windtunnel names it.
	Version string
	// Start is what the file says of how the EPP is started.
	Start Start
	// Line and Column, from 1, are where Text begins in the file. All its other
	// lines lost Indent columns.
	Line, Column, Indent int
	// InPlace is whether Text stands in the file letter for letter, so that
	// positions in it are positions in the file. A quoted text with escapes does
	// not: all its positions are Line and Column.
	InPlace bool
}

// Position maps a position in Text to one in the file. Lines and columns count
// from 1, columns in characters.
func (s *Source) Position(line, column int) (fileLine, fileColumn int) {
	switch {
	case !s.InPlace:
		return s.Line, s.Column
	case line <= 1:
		return s.Line, s.Column + column - 1
	}
	return s.Line + line - 1, s.Indent + column
}

// within is s, which was found in the text of outer, as found in outer's file.
func (s *Source) within(outer *Source) {
	s.Line, s.Column = outer.Position(s.Line, s.Column)
	if s.Start.OtherLine != 0 {
		s.Start.OtherLine, _ = outer.Position(s.Start.OtherLine, 1)
	}
	s.Indent += outer.Indent
	s.InPlace = s.InPlace && outer.InPlace
}

// Find returns the EndpointPickerConfigs of a file, in order: bare ones, those in
// any key of ConfigMaps, in Helm values and in manifests of Windtunnel, wherever
// they stand, as text or as an object, in a stream of several documents too. The
// error names the documents that are no YAML; the others are searched all the
// same.
func Find(file []byte) ([]Source, error) {
	f := finder{}
	documents := splitDocuments(file)
	var errs []error
	for i := range documents {
		d := &documents[i]
		if len(documents) > 1 {
			d.Name = fmt.Sprintf("document %d", i+1)
		}
		if err := f.document(d); err != nil {
			errs = append(errs, err)
		}
	}
	f.startByDeployments()
	return f.found, errors.Join(errs...)
}

// A finder collects configurations, and the Deployments that may start their EPPs.
type finder struct {
	found       []Source
	deployments []deployment
}

// startByDeployments completes the starts of configurations in ConfigMaps.
func (f *finder) startByDeployments() {
	for i := range f.found {
		for j := range f.deployments {
			if d := &f.deployments[j]; d.starts(f.found[i].Name) {
				f.found[i].Start.merge(&d.start)
			}
		}
	}
}

// saysKind tells configurations that are no valid YAML.
var saysKind = regexp.MustCompile(`(?m)^[ \t{,]*["']?kind["']?[ \t]*:[ \t]*["']?` + document.ConfigKind)

// maxEmbedding is how deep texts of YAML in texts of YAML are searched.
const maxEmbedding = 4

func (f *finder) document(d *Source) error {
	root, err := parseDocument(d.Text)
	switch {
	case err != nil && saysKind.Match(d.Text):
		f.found = append(f.found, *d)
		return nil
	case err != nil:
		line, problem := document.CutLine(document.SyntaxFault(d.Text, err))
		line, _ = d.Position(max(line, 1), 1)
		return fmt.Errorf("line %d: %s", line, problem)
	case isEmpty(root) && saysKind.Match(d.Text):
		// The EPP reads the first document of a file, which is empty.
		f.found = append(f.found, *d)
		return nil
	case root == nil:
		return nil
	case isConfig(root) || looksLikeConfig(root):
		f.found = append(f.found, *d)
		return nil
	}
	if started, ok := deploymentOf(root); ok {
		f.deployments = append(f.deployments, started)
	}
	f.walk(walk{source: d, label: d.Name}, root, nil)
	return nil
}

// parseDocument returns the root of a document, or nil for an empty one.
func parseDocument(text []byte) (*yamlv3.Node, error) {
	var document yamlv3.Node
	err := yamlv3.Unmarshal(text, &document)
	if err != nil && bytes.ContainsRune(text, '\t') {
		// Tabs are legal in JSON; where they are blanks, columns stay the same.
		if yamlv3.Unmarshal(bytes.ReplaceAll(text, []byte("\t"), []byte(" ")), &document) == nil {
			err = nil
		}
	}
	if err != nil || len(document.Content) == 0 {
		return nil, err
	}
	return document.Content[0], nil
}

func isEmpty(n *yamlv3.Node) bool { return n == nil || n.ShortTag() == "!!null" }

func isConfig(n *yamlv3.Node) bool {
	kind := childOf(n, "kind")
	return kind != nil && kind.Value == document.ConfigKind
}

// looksLikeConfig is for a document that names no kind; null names none.
func looksLikeConfig(n *yamlv3.Node) bool {
	if kind := childOf(n, "kind"); kind != nil && kind.ShortTag() != "!!null" {
		return false
	}
	plugins := childOf(n, "plugins")
	return childOf(n, "schedulingProfiles") != nil || plugins != nil && plugins.Kind == yamlv3.SequenceNode
}

// childOf returns the value of a mapping's key, or nil.
func childOf(n *yamlv3.Node, key string) *yamlv3.Node {
	if n.Kind != yamlv3.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// A walk is what is known on the way down through a document.
type walk struct {
	source *Source
	label  string // the object that the node belongs to
	depth  int    // of texts in texts
}

func (f *finder) walk(w walk, n *yamlv3.Node, path *field.Path) {
	switch n.Kind {
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			f.walk(w, item, path.Index(i))
		}
	case yamlv3.MappingNode:
		f.mapping(w, n, path)
	case yamlv3.ScalarNode:
		f.scalar(w, n, path, "")
	}
}

func (f *finder) mapping(w walk, n *yamlv3.Node, path *field.Path) {
	if isConfig(n) {
		f.Add(w, objectSource(w.source.Text, n), path, "")
		return
	}
	if label := objectLabel(n); label != "" {
		w.label, path = label, nil
	}
	if start, ok := startOf(n, w.source); ok {
		first := len(f.found)
		defer func() {
			for i := range f.found[first:] {
				f.found[first+i].Start.merge(&start)
			}
		}()
	}
	version := ""
	if v := childOf(n, "version"); v != nil && v.Kind == yamlv3.ScalarNode {
		version = v.Value
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		at := childPath(path, key)
		switch {
		case key == "binaryData" && value.Kind == yamlv3.MappingNode:
			f.binary(w, value, at)
		case key == "inline" && value.Kind == yamlv3.ScalarNode:
			f.scalar(w, value, at, version)
		default:
			f.walk(w, value, at)
		}
	}
}

// childPath puts keys that are file names in brackets.
func childPath(path *field.Path, key string) *field.Path {
	if path != nil && strings.ContainsAny(key, "./ ") {
		return path.Key(key)
	}
	return path.Child(key)
}

// objectLabel names a Kubernetes object.
func objectLabel(n *yamlv3.Node) string {
	kind, metadata := childOf(n, "kind"), childOf(n, "metadata")
	if kind == nil || metadata == nil {
		return ""
	}
	if name := childOf(metadata, "name"); name != nil {
		return kind.Value + " " + name.Value
	}
	return kind.Value
}

func (f *finder) scalar(w walk, n *yamlv3.Node, path *field.Path, version string) {
	if n.ShortTag() != "!!str" || !strings.Contains(n.Value, document.ConfigKind) {
		return
	}
	f.text(w, TextOf(w.source.Text, n), path, version)
}

// binary searches texts in base64.
func (f *finder) binary(w walk, n *yamlv3.Node, path *field.Path) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := n.Content[i+1]
		text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value.Value))
		if err == nil && bytes.Contains(text, []byte(document.ConfigKind)) {
			f.text(w, Source{Text: text, Line: value.Line, Column: value.Column}, path.Key(n.Content[i].Value), "")
		}
	}
}

// text adds a text that is a configuration, or searches it.
func (f *finder) text(w walk, s Source, path *field.Path, version string) {
	root, err := parseDocument(s.Text)
	if (err != nil || isEmpty(root)) && saysKind.Match(s.Text) || err == nil && root != nil && isConfig(root) {
		f.Add(w, s, path, version)
		return
	}
	if err != nil || root == nil || root.Kind == yamlv3.ScalarNode || w.depth == maxEmbedding {
		return
	}
	inner := finder{}
	inner.walk(walk{source: &s, label: join(w.label, path), depth: w.depth + 1}, root, nil)
	for i := range inner.found {
		inner.found[i].within(w.source)
	}
	f.found = append(f.found, inner.found...)
}

func (f *finder) Add(w walk, s Source, path *field.Path, version string) {
	s.Name, s.Version = join(w.label, path), version
	s.within(w.source)
	f.found = append(f.found, s)
}

func join(label string, path *field.Path) string {
	switch {
	case path == nil:
		return label
	case label == "":
		return path.String()
	}
	return label + ", " + path.String()
}
