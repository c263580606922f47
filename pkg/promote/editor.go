// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
)

// form says how much is written out of what the EPP makes by itself. A larger
// one is for texts in which a smaller one means something else.
type form int

const (
	// smallest writes what the change is about.
	smallest form = iota
	// withProfiles spells out the profile that the EPP makes of all plugins, so
	// that no plugin that is listed becomes a part of it.
	withProfiles
	// withParameters gives plugins that are written out all their parameters.
	withParameters
	// complete lists the plugins that the EPP makes before those, too.
	complete
)

// An editor makes one change.
type editor struct {
	*edit.Buffer
	// current and want are the EPP's view before and after all changes.
	current, want object
	form          form
	// names are the keys that name entries of lists, the first one that an entry has.
	names []string
}

// pluginNames are the names in an EPP configuration: a plugin without a name is called by
// its type.
var pluginNames = []string{"name", "pluginRef", "type"}

var (
	errNotInPlace = errors.New("the text is not written in a way that can be edited there")
	errNoEntry    = errors.New("there is no such entry")
)

// make returns the text with the change.
func (e *editor) make(c *Change) (string, error) {
	if e.Root == nil || e.Root.Kind != yamlv3.MappingNode {
		return "", errNotInPlace
	}
	splices, err := e.set(e.Root, e.written(c.Path), nil, c.Value)
	if err != nil {
		return "", err
	}
	text, ok := e.Apply(splices)
	if !ok || len(splices) == 0 {
		return "", errNotInPlace
	}
	return text, nil
}

const profilesField = "schedulingProfiles"

// spellOut returns the text with the profiles that the EPP makes.
func (e *editor) spellOut() (string, error) {
	if e.Root == nil || e.Root.Kind != yamlv3.MappingNode {
		return "", errNotInPlace
	}
	if member(e.Root, profilesField) != nil {
		return e.Text, nil
	}
	here := []Step{{Name: profilesField}}
	profiles, _ := at(e.current, here).(list)
	splices, err := e.addField(e.Root, profilesField, e.listed(profiles))
	if err != nil {
		return "", err
	}
	text, _ := e.Apply(splices)
	return text, nil
}

// moved are sections that older spellings have at the top of the document.
var moved = []struct {
	now []Step
	old string
}{
	{[]Step{{Name: "flowControl"}, {Name: "saturationDetector"}}, "saturationDetector"},
	{[]Step{{Name: "requestHandler"}, {Name: "parsers"}}, "parser"},
}

// written is the path at which the text has what a path of the EPP's view leads
// to.
func (e *editor) written(path []Step) []Step {
	for _, m := range moved {
		if len(path) <= len(m.now) || !slices.Equal(path[:len(m.now)], m.now) || member(e.Root, m.old) == nil {
			continue
		}
		section := member(e.Root, m.now[0].Name)
		if section != nil && member(section, m.now[1].Name) != nil {
			continue
		}
		rest := path[len(m.now):]
		if rest[0].Entry {
			rest = rest[1:]
		}
		return append([]Step{{Name: m.old}}, rest...)
	}
	return path
}

// set follows a path below a node. before is the path to the node.
func (e *editor) set(n *yamlv3.Node, path, before []Step, value any) ([]edit.Splice, error) {
	n = resolved(n)
	step, rest := path[0], path[1:]
	here := append(slices.Clone(before), step)
	if step.Entry {
		item := e.entry(n, step.Name)
		if item == nil {
			return e.addEntry(n, before, step.Name, rest, value)
		}
		if len(rest) > 0 {
			return e.set(item, rest, here, value)
		}
		if splices := e.Replace(item, inStyleOf(item, value)); item.Kind == yamlv3.ScalarNode && splices != nil {
			return splices, nil
		}
		return nil, errNotInPlace
	}
	if n.Kind != yamlv3.MappingNode {
		return nil, errNotInPlace
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, inner := n.Content[i], n.Content[i+1]
		switch {
		case key.Value != step.Name:
		case len(rest) == 0:
			return e.replace(key, inner, value)
		case isNull(inner):
			return e.fill(n, key, inner, e.subtree(rest, here, value))
		default:
			return e.set(inner, rest, here, value)
		}
	}
	return e.addField(n, step.Name, e.subtree(rest, here, value))
}

// entry is the entry of a list that a path names; an entry without a name is called by its
// number.
func (e *editor) entry(n *yamlv3.Node, name string) *yamlv3.Node {
	if n.Kind != yamlv3.SequenceNode {
		return nil
	}
	named := false
	for _, item := range n.Content {
		item = resolved(item)
		for _, key := range e.names {
			if v := member(item, key); v != nil {
				if named = true; v.Value == name {
					return item
				}
				break
			}
		}
	}
	if i, ok := numbered(name, len(n.Content)); ok && !named {
		return resolved(n.Content[i])
	}
	return nil
}

// subtree is the value that a field must have for what lies beneath it to be
// so: a list is written out.
func (e *editor) subtree(rest, here []Step, value any) any {
	switch {
	case len(rest) == 0:
		return value
	case rest[0].Entry:
		entries, _ := at(e.want, here).(list)
		return e.listed(entries)
	}
	return object{rest[0].Name: e.subtree(rest[1:], append(slices.Clone(here), rest[0]), value)}
}

// listed is a list that the EPP made, as a document has it: what it says again
// of defaults, and plugins that the document does not list, are left out.
func (e *editor) listed(entries list) list {
	var all list
	for _, x := range entries {
		o, ok := x.(object)
		if !ok {
			return entries
		}
		if ref, isRef := o["pluginRef"].(string); isRef && e.form < complete && !e.listsPlugin(ref) {
			continue
		}
		written := object{}
		for key, v := range o {
			if inner, isList := v.(list); isList {
				v = e.listed(inner)
			}
			if key == "weight" && e.form < withParameters && v == json.Number("1") {
				continue
			}
			written[key] = v
		}
		all = append(all, written)
	}
	return all
}

func (e *editor) listsPlugin(name string) bool {
	plugins := member(e.Root, "plugins")
	return plugins != nil && e.entry(resolved(plugins), name) != nil
}

// replace writes a value in another one's place.
func (e *editor) replace(key, n *yamlv3.Node, value any) ([]edit.Splice, error) {
	if n.Kind == yamlv3.AliasNode {
		start, ok := e.Offset(n)
		if !ok || !strings.HasPrefix(e.Text[start:], "*"+n.Value) {
			return nil, errNotInPlace
		}
		return edit.Replacing(start, start+1+len(n.Value), scalar(value, false)), nil
	}
	if isNull(n) && n.Value == "" {
		return e.fill(nil, key, n, value)
	}
	if splices := e.Replace(n, inStyleOf(n, value)); splices != nil {
		return splices, nil
	}
	return nil, errNotInPlace
}

// fill gives a key without a value one.
func (e *editor) fill(parent, key, n *yamlv3.Node, value any) ([]edit.Splice, error) {
	if n.Value != "" {
		if splices := e.Replace(n, flowText(value, false)); splices != nil {
			return splices, nil
		}
		return nil, errNotInPlace
	}
	_, end, ok := e.Scalar(key)
	if !ok || !strings.HasPrefix(e.Text[end:], ":") {
		return nil, errNotInPlace
	}
	end++
	_, isObject := value.(object)
	_, isList := value.(list)
	if !isObject && !isList || parent == nil || edit.IsFlow(parent) {
		return edit.Replacing(end, end, " "+flowText(value, false)), nil
	}
	indent := strings.Repeat(" ", key.Column-1)
	if isObject {
		indent += "  "
	} else {
		indent += strings.Repeat(" ", e.dashColumns())
	}
	return e.InsertLines(e.LineEnd(key.Line-1), indent, blockLines(value, e.dashColumns())), nil
}

// addField gives a mapping one more key.
func (e *editor) addField(n *yamlv3.Node, name string, value any) ([]edit.Splice, error) {
	if !edit.IsFlow(n) && len(n.Content) > 0 {
		indent := strings.Repeat(" ", n.Content[0].Column-1)
		return e.InsertLines(e.BlockEnd(n, len(n.Content)-2, 2), indent, fieldLines(name, value, e.dashColumns())), nil
	}
	return e.addToFlow(n, fieldText(name, value, e.asJSON(n)))
}

// addToFlow adds a part to braces or brackets.
func (e *editor) addToFlow(n *yamlv3.Node, part string) ([]edit.Splice, error) {
	if len(n.Content) > 0 {
		end, ok := e.FlowEnd(n.Content[len(n.Content)-1])
		if !ok {
			return nil, errNotInPlace
		}
		return edit.Replacing(end, end, ", "+part), nil
	}
	start, ok := e.Offset(n)
	if !ok || !strings.HasPrefix(e.Text[start:], "{") && !strings.HasPrefix(e.Text[start:], "[") {
		return nil, errNotInPlace
	}
	return edit.Replacing(start+1, start+1, part), nil
}

// addEntry lists what the EPP adds by itself.
func (e *editor) addEntry(n *yamlv3.Node, path []Step, name string, rest []Step, value any) ([]edit.Splice, error) {
	if n.Kind != yamlv3.SequenceNode {
		return nil, errNotInPlace
	}
	entries, err := e.entriesFor(path, name, rest, value)
	if err != nil {
		return nil, err
	}
	var lines, parts []string
	for _, o := range entries {
		lines = append(lines, blockLines(list{o}, e.dashColumns())...)
		parts = append(parts, flowText(o, e.asJSON(n)))
	}
	if edit.IsFlow(n) || len(n.Content) == 0 {
		return e.addToFlow(n, strings.Join(parts, ", "))
	}
	if splices := e.InsertAfter(n, len(n.Content)-1, lines, ""); splices != nil {
		return splices, nil
	}
	return nil, errNotInPlace
}

// entriesFor are the entries to list so that one of a name has a value.
func (e *editor) entriesFor(path []Step, name string, rest []Step, value any) ([]object, error) {
	wanted, _ := at(e.want, path).(list)
	found, _ := entry(wanted, name).(object)
	if found == nil {
		return nil, fmt.Errorf("%w: %s", errNoEntry, name)
	}
	plugins := pathText(path) == "plugins"
	if !plugins {
		return []object{found}, nil
	}
	var all []object
	for _, x := range wanted {
		o, _ := x.(object)
		itself := entryName(o) == name
		if !itself && (e.form < complete || e.listsPlugin(entryName(o))) {
			continue
		}
		written := withoutName(o)
		if itself && e.form < withParameters && len(rest) > 1 {
			written[rest[0].Name] = e.subtree(rest[1:], append(slices.Clone(path), Step{name, true}, rest[0]), value)
		} else if itself {
			written["parameters"] = o["parameters"]
		}
		all = append(all, written)
		if itself {
			return all, nil
		}
	}
	return all, nil
}

// withoutName is a plugin as it is listed where its name is its type's.
func withoutName(o object) object {
	written := object{"type": o["type"]}
	if o["name"] != o["type"] {
		written["name"] = o["name"]
	}
	return written
}

// dashColumns is how far dashes stand behind the key of their list in this text.
func (e *editor) dashColumns() int {
	for i := 0; i+1 < len(e.Root.Content); i += 2 {
		key, v := e.Root.Content[i], e.Root.Content[i+1]
		if v.Kind == yamlv3.SequenceNode && !edit.IsFlow(v) && len(v.Content) > 0 {
			return max(0, e.Dash(v.Content[0])-key.Column)
		}
	}
	return 0
}

// asJSON reports whether keys are in quotes where a part is added.
func (e *editor) asJSON(n *yamlv3.Node) bool {
	for _, where := range []*yamlv3.Node{n, e.Root} {
		if where.Kind == yamlv3.MappingNode && len(where.Content) > 0 {
			return where.Content[0].Style&yamlv3.DoubleQuotedStyle != 0
		}
	}
	return false
}

func resolved(n *yamlv3.Node) *yamlv3.Node {
	if n.Kind == yamlv3.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yamlv3.Node) bool { return n.Kind == yamlv3.ScalarNode && n.ShortTag() == "!!null" }

// member is the value of a mapping's key, or nil.
func member(n *yamlv3.Node, name string) *yamlv3.Node {
	if n = resolved(n); n.Kind != yamlv3.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
