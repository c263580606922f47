// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const decisionTreeFilterType = "decision-tree-filter"

// decisionTreeFilter of gie-v0.5 asks one filter, and then another one about what
// that left, or about all candidates where it left none.
var decisionTreeFilter = factory{
	pluginType: pluginType{
		name:         decisionTreeFilterType,
		registration: gie("..gie-v0.5"),
		roles:        filterRole,
		parameters:   func() any { return &decisionTree{} },
	},
	newFilter: func(b *builder, p *plugin) filter {
		return newTreeFilter(b, p.Parameters.(*decisionTree))
	},
}

type decisionTree struct {
	Current                *treeEntry `json:"current,omitempty"`
	NextOnSuccess          *treeEntry `json:"nextOnSuccess,omitempty"`
	NextOnFailure          *treeEntry `json:"nextOnFailure,omitempty"`
	NextOnSuccessOrFailure *treeEntry `json:"nextOnSuccessOrFailure,omitempty"`
}

// treeEntry is a plugin or a tree of its own.
type treeEntry struct {
	PluginRef    *string       `json:"pluginRef,omitempty"`
	DecisionTree *decisionTree `json:"decisionTree,omitempty"`
}

func (t *decisionTree) check(l *loader, path *field.Path) {
	if t.Current == nil {
		l.add(field.Required(path.Child("current"), "must be a filter"))
		return
	}
	for _, entry := range []struct {
		name string
		*treeEntry
	}{
		{"current", t.Current}, {"nextOnSuccess", t.NextOnSuccess},
		{"nextOnFailure", t.NextOnFailure}, {"nextOnSuccessOrFailure", t.NextOnSuccessOrFailure},
	} {
		if entry.treeEntry != nil {
			entry.check(l, path.Child(entry.name))
		}
	}
}

func (e *treeEntry) check(l *loader, path *field.Path) {
	switch {
	case e.PluginRef != nil && e.DecisionTree != nil:
		l.add(field.Forbidden(path.Child("decisionTree"), "cannot stand beside pluginRef"))
	case e.PluginRef != nil:
		l.referInParameters(*e.PluginRef, filterRole, "a filter", path.Child("pluginRef"))
	case e.DecisionTree != nil:
		e.DecisionTree.check(l, path.Child("decisionTree"))
	default:
		l.add(field.Required(path, "must have a pluginRef or a decisionTree"))
	}
}

// treeFilter has nil where there is nothing to ask.
type treeFilter struct {
	current, onSuccess, onFailure filter
	before                        []int
}

func newTreeFilter(b *builder, t *decisionTree) *treeFilter {
	either := t.NextOnSuccessOrFailure
	pick := func(entry *treeEntry) filter {
		if entry == nil {
			entry = either
		}
		return newTreeEntry(b, entry)
	}
	return &treeFilter{current: newTreeEntry(b, t.Current), onSuccess: pick(t.NextOnSuccess), onFailure: pick(t.NextOnFailure)}
}

func newTreeEntry(b *builder, e *treeEntry) filter {
	switch {
	case e == nil:
		return nil
	case e.PluginRef == nil:
		return newTreeFilter(b, e.DecisionTree)
	}
	p := b.plugins[*e.PluginRef]
	if made := b.factory(p).newFilter(b, p); made != nil {
		return made
	}
	return keepAll{}
}

// keepAll stands for a filter that keeps every endpoint there is.
type keepAll struct{}

func (keepAll) filter(_ *cycle, candidates []int) []int { return candidates }

func (f *treeFilter) filter(c *cycle, candidates []int) []int {
	f.before = append(f.before[:0], candidates...)
	kept := f.current.filter(c, candidates)
	switch {
	case len(kept) > 0 && f.onSuccess != nil:
		return f.onSuccess.filter(c, kept)
	case len(kept) == 0 && f.onFailure != nil:
		return f.onFailure.filter(c, slices.Clone(f.before))
	}
	return kept
}
