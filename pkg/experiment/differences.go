// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/setup"
)

// A Difference is a place where two scenarios have other values.
type Difference struct {
	Path []Segment
	// Was and Is are the values in JSON form; nil where a scenario has none.
	Was, Is any
}

// maxValueText is how many characters of a value are shown.
const maxValueText = 40

// String says what changes, such as pools[llama].replicas from 2 to 4.
func (d Difference) String() string {
	switch {
	case d.Was == nil:
		return Render(d.Path) + ", which is new"
	case d.Is == nil:
		return Render(d.Path) + ", which is left out"
	}
	was, is := valueText(d.Was), valueText(d.Is)
	if was == "" || is == "" {
		return Render(d.Path)
	}
	return fmt.Sprintf("%s from %s to %s", Render(d.Path), was, is)
}

// valueText is a short value; empty for one that is not.
func valueText(v any) string {
	switch v.(type) {
	case Tree, []any:
		return ""
	}
	text := strings.Trim(string(setup.TreeJSON(v)), `"`)
	if len(text) > maxValueText {
		return ""
	}
	return text
}

// differences returns the places where a scenario has other values than the one before, in
// order: fields that both have, down to single values, and whole parts that one of them has.
func differences(before, after Tree) []Difference {
	var all []Difference
	differ(nil, before, after, func(d Difference) {
		d.Path = slices.Clone(d.Path)
		all = append(all, d)
	})
	return all
}

func differ(path []Segment, was, is any, tell func(Difference)) {
	if reflect.DeepEqual(was, is) {
		return
	}
	switch was := was.(type) {
	case Tree:
		if is, ok := is.(Tree); ok {
			differInFields(path, was, is, tell)
			return
		}
	case []any:
		if is, ok := is.([]any); ok && haveUniqueNames(was) && haveUniqueNames(is) {
			differInEntries(path, was, is, tell)
			return
		}
	}
	tell(Difference{path, was, is})
}

func differInFields(path []Segment, was, is Tree, tell func(Difference)) {
	names := slices.AppendSeq(fieldNames(was), maps.Keys(is))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		differ(append(path, Segment{Name: name}), was[name], is[name], tell)
	}
}

// differInEntries compares the entries of two lists by their names. Where both have the same
// ones in another order, the lists differ as such.
func differInEntries(path []Segment, was, is []any, tell func(Difference)) {
	before, after := namesOfEntries(was), namesOfEntries(is)
	for i, name := range before {
		var other any
		if j := slices.Index(after, name); j >= 0 {
			other = is[j]
		}
		differ(append(path, Segment{Name: name, Entry: true}), was[i], other, tell)
	}
	for j, name := range after {
		if !slices.Contains(before, name) {
			differ(append(path, Segment{Name: name, Entry: true}), nil, is[j], tell)
		}
	}
	kept := func(names, of []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(of, name) })
	}
	if !slices.Equal(kept(before, after), kept(after, before)) {
		tell(Difference{path, was, is})
	}
}

func namesOfEntries(list []any) []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = entryName(e)
	}
	return names
}

// haveUniqueNames reports whether each entry of a list has a name of its own.
func haveUniqueNames(list []any) bool {
	names := namesOfEntries(list)
	slices.Sort(names)
	return !slices.Contains(names, "") && len(slices.Compact(names)) == len(list)
}
