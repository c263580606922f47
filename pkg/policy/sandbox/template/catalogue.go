// SPDX-License-Identifier: Apache-2.0

package template

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
)

//go:embed templates/*.yaml
var files embed.FS

// All returns the templates in the order of their names.
func All() []*Template { return all() }

// all reads the files once: they are part of the program.
var all = sync.OnceValue(func() []*Template {
	names, err := fs.Glob(files, "templates/*.yaml") // in order
	if err != nil {
		panic(err)
	}
	var all []*Template
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		t, err := parse(raw)
		if err != nil {
			panic(fmt.Sprintf("template: %s: %v", name, err))
		}
		t.Name = strings.TrimSuffix(path.Base(name), ".yaml")
		all = append(all, t)
	}
	return all
})

// parse reads a file.
func parse(raw []byte) (*Template, error) {
	t := &Template{}
	if err := yaml.UnmarshalStrict(raw, t); err != nil {
		return nil, err
	}
	_, err := t.fill(t.Complete(nil))
	return t, err
}

// fill returns the tree with numbers in place of the names of parameters.
func (t *Template) fill(numbers map[string]float64) (*tree.Node, error) {
	filled, err := json.Marshal(fill(t.Root, numbers))
	if err != nil {
		return nil, err
	}
	root := &tree.Node{}
	return root, yaml.UnmarshalStrict(filled, root)
}

// fill returns a value of JSON with numbers in place of $NAME and -$NAME.
func fill(in any, numbers map[string]float64) any {
	switch in := in.(type) {
	case map[string]any:
		out := make(map[string]any, len(in))
		for key, value := range in {
			out[key] = fill(value, numbers)
		}
		return out
	case []any:
		out := make([]any, len(in))
		for i, value := range in {
			out[i] = fill(value, numbers)
		}
		return out
	case string:
		if name, is := strings.CutPrefix(in, "$"); is {
			return known(numbers, name, in)
		}
		if name, is := strings.CutPrefix(in, "-$"); is {
			if x, is := known(numbers, name, in).(float64); is {
				return -x
			}
		}
	}
	return in
}

// known is a number by name, or the text for an unknown name, which is no number of a tree.
func known(numbers map[string]float64, name, text string) any {
	if x, is := numbers[name]; is {
		return x
	}
	return text
}
