// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const decisionTreeFilterType = "decision-tree-filter"

// decisionTreeFilter of gie-v0.5 asks one filter, and then another one about what
// that left, or about all candidates where it left none.
var decisionTreeFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         decisionTreeFilterType,
		Registration: version.GIE("..gie-v0.5"),
		Roles:        config.FilterRole,
		Parameters:   func() any { return &decisionTree{} },
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
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

func (t *decisionTree) Check(l *config.Loader, path *field.Path) {
	if t.Current == nil {
		l.Add(field.Required(path.Child("current"), "must be a filter"))
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
			entry.Check(l, path.Child(entry.name))
		}
	}
}

func (e *treeEntry) Check(l *config.Loader, path *field.Path) {
	switch {
	case e.PluginRef != nil && e.DecisionTree != nil:
		l.Add(field.Forbidden(path.Child("decisionTree"), "cannot be set together with pluginRef"))
	case e.PluginRef != nil:
		l.ReferInParameters(*e.PluginRef, config.FilterRole, "a filter", path.Child("pluginRef"))
	case e.DecisionTree != nil:
		e.DecisionTree.Check(l, path.Child("decisionTree"))
	default:
		l.Add(field.Required(path, "must have a pluginRef or a decisionTree"))
	}
}

// treeFilter has nil where there is nothing to ask.
type treeFilter struct {
	current, onSuccess, onFailure scheduler.Filter
	before                        []int
}

func newTreeFilter(b *scheduler.Builder, t *decisionTree) *treeFilter {
	either := t.NextOnSuccessOrFailure
	pick := func(entry *treeEntry) scheduler.Filter {
		if entry == nil {
			entry = either
		}
		return newTreeEntry(b, entry)
	}
	return &treeFilter{current: newTreeEntry(b, t.Current), onSuccess: pick(t.NextOnSuccess), onFailure: pick(t.NextOnFailure)}
}

func newTreeEntry(b *scheduler.Builder, e *treeEntry) scheduler.Filter {
	switch {
	case e == nil:
		return nil
	case e.PluginRef == nil:
		return newTreeFilter(b, e.DecisionTree)
	}
	p := b.Plugins[*e.PluginRef]
	if made := b.Factory(p).NewFilter(b, p); made != nil {
		return made
	}
	return keepAll{}
}

// keepAll stands for a filter that keeps every endpoint there is.
type keepAll struct{}

func (keepAll) Filter(_ *scheduler.Cycle, candidates []int) []int { return candidates }

func (f *treeFilter) Filter(c *scheduler.Cycle, candidates []int) []int {
	f.before = append(f.before[:0], candidates...)
	kept := f.current.Filter(c, candidates)
	switch {
	case len(kept) > 0 && f.onSuccess != nil:
		return f.onSuccess.Filter(c, kept)
	case len(kept) == 0 && f.onFailure != nil:
		return f.onFailure.Filter(c, slices.Clone(f.before))
	}
	return kept
}
