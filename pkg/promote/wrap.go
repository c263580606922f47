// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// A Format is how a configuration is handed over.
type Format int

const (
	// Source is the file as it was given.
	Source Format = iota
	// Document is an EndpointPickerConfig alone.
	Document
	// ConfigMap is a ConfigMap that holds one.
	ConfigMap
	// HelmValues are values of the router's chart that hold one.
	HelmValues
)

// Names are what a wrapping calls things where the file does not say.
type Names struct {
	// ConfigMap is the object's, and Key its key, which is a file name.
	ConfigMap, Key string
}

// In returns the file in a format, before and after the changes. A file that is
// in such a wrapping already keeps its own.
func (r *Rewritten) In(f Format, names Names) (before, after string, err error) {
	if f == Source || f == r.wrapping() {
		file, ok := edit.Embed([]byte(r.file), &r.source, r.Text)
		if !ok && r.Text != r.Before {
			return "", "", fmt.Errorf("%w: its text does not stand in the file letter for letter; ask for it in another format", ErrNotPossible)
		}
		if !ok {
			file = []byte(r.file)
		}
		return r.file, string(file), r.checkWrapped(file)
	}
	if f == Document {
		return r.Before, r.Text, nil
	}
	wrap := configMap
	if f == HelmValues {
		wrap = r.helmValues
	}
	if before, err = encode(wrap(names, r.Before)); err != nil {
		return "", "", err
	}
	if after, err = encode(wrap(names, r.Text)); err != nil {
		return "", "", err
	}
	return before, after, r.checkWrapped([]byte(after))
}

// Diff is the difference of two texts as diff -u prints it, "" for none.
func Diff(name, before, after string) string { return edit.Diff(name, before, after) }

// wrapping is the format that the file has.
func (r *Rewritten) wrapping() Format {
	if r.source.Name == "" && r.Before == r.file {
		return Document
	}
	return formatOf(r.source.Name)
}

// checkWrapped compares what a file holds, as the EPP sees it, with the text.
func (r *Rewritten) checkWrapped(file []byte) error {
	source, err := onlyConfig(file)
	if err != nil {
		return err
	}
	want, err := load(r.Text, r.version)
	if err != nil {
		return err
	}
	have, err := load(string(source.Text), r.version)
	if err != nil {
		return fmt.Errorf("%w: in the file %w", ErrNotPossible, err)
	}
	if !have.Same(want) {
		return fmt.Errorf("%w: in the file it would be another configuration", ErrNotPossible)
	}
	return nil
}

func configMap(names Names, text string) *yamlv3.Node {
	return mapping(
		"apiVersion", plainNode("v1"),
		"kind", plainNode("ConfigMap"),
		"metadata", mapping("name", plainNode(names.ConfigMap)),
		"data", mapping(names.Key, literal(text)),
	)
}

// helmValues are those of llm-d's router chart, or of the chart that came with
// older versions.
func (r *Rewritten) helmValues(names Names, text string) *yamlv3.Node {
	section := mapping(
		"pluginsConfigFile", plainNode(names.Key),
		"pluginsCustomConfig", mapping(names.Key, literal(text)),
	)
	if strings.HasPrefix(r.version, "router-") {
		return mapping("router", mapping("epp", section))
	}
	return mapping("inferenceExtension", section)
}

func mapping(pairs ...any) *yamlv3.Node {
	n := &yamlv3.Node{Kind: yamlv3.MappingNode}
	for pair := range slices.Chunk(pairs, 2) {
		n.Content = append(n.Content, plainNode(pair[0].(string)), pair[1].(*yamlv3.Node))
	}
	return n
}

func plainNode(text string) *yamlv3.Node {
	n := &yamlv3.Node{}
	n.SetString(text)
	return n
}

// literal is a text in a block of its own.
func literal(text string) *yamlv3.Node {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	n := plainNode(text)
	n.Style = yamlv3.LiteralStyle
	return n
}

func encode(n *yamlv3.Node) (string, error) {
	var out bytes.Buffer
	e := yamlv3.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return "", err
	}
	return out.String(), e.Close()
}
