// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// mostListed is how many objects a list has at most.
const mostListed = 500

// listView is what the template of the list reads.
type listView struct {
	layout
	Namespaces, States, Verdicts []string
	Namespace, State, Verdict    string
	// HasCreated says that dates are known.
	HasCreated bool
	// Empty says that there is nothing at all, whatever the filter.
	Empty      bool
	Groups     []group
	Shown, All int
	Version    string
}

// group is the objects of a namespace.
type group struct {
	Namespace string
	Rows      []listRow
}

// listRow is an object in a list.
type listRow struct {
	Path, Kind, Name, State, Message, Progress, Headline, Sentence, Created string
	Verdict                                                                 verdict.Outcome
}

// list shows the runs and sweeps that the reader may list.
func (v *view) list() error {
	seen, err := v.readable()
	if err != nil {
		return err
	}
	l := &listView{
		layout: v.layout("Runs and sweeps", "/events"), Namespace: v.FormValue("namespace"), State: v.FormValue("state"), Verdict: v.FormValue("verdict"),
		Empty: len(seen) == 0, Version: versionOf(seen),
	}
	l.Since = l.Version
	namespaces, states := map[string]bool{}, map[string]bool{}
	for i := range seen {
		namespaces[seen[i].Namespace], states[seen[i].State()] = true, true
	}
	l.Namespaces, l.States = slices.Sorted(maps.Keys(namespaces)), slices.Sorted(maps.Keys(states))
	l.Verdicts = []string{verdict.Pass.Word(), verdict.Fail.Word(), verdict.Undecided.Word()}
	for i := range seen {
		if o := &seen[i]; l.chooses(o) {
			l.add(o)
		}
	}
	return v.render(listTemplate(), l)
}

// chooses reports whether the filter of the form lets an object through.
func (l *listView) chooses(o *Object) bool {
	return (l.Namespace == "" || o.Namespace == l.Namespace) && (l.State == "" || o.State() == l.State) &&
		(l.Verdict == "" || o.Outcome() != "" && o.Outcome().Word() == l.Verdict)
}

func (l *listView) add(o *Object) {
	l.All++
	if l.Shown == mostListed {
		return
	}
	l.Shown++
	if n := len(l.Groups); n == 0 || l.Groups[n-1].Namespace != o.Namespace {
		l.Groups = append(l.Groups, group{Namespace: o.Namespace})
	}
	g := &l.Groups[len(l.Groups)-1]
	g.Rows = append(g.Rows, rowOf(o))
	l.HasCreated = l.HasCreated || !o.Created.IsZero()
}

func rowOf(o *Object) listRow {
	row := listRow{Path: o.path(), Kind: o.Resource.Kind(), Name: o.Name, State: o.State(), Progress: shortProgress(o), Headline: o.headline(), Verdict: o.Outcome(), Sentence: o.sentence()}
	if !o.Created.IsZero() {
		row.Created = o.Created.UTC().Format("2006-01-02 15:04 UTC")
	}
	if o.Failed() {
		row.Message = o.Message()
	}
	return row
}

// shortProgress is how many of the simulations have a result.
func shortProgress(o *Object) string {
	p := o.Status.Progress
	if p == nil {
		return figure.Absent
	}
	return fmt.Sprintf("%d of %d", p.Completed, p.Total)
}

// readable returns the objects that the reader may list, by namespace, the latest first.
func (v *view) readable() ([]Object, error) {
	var seen []Object
	for _, resource := range resources {
		all, err := v.Source.List(v.Context(), resource, "")
		if err != nil {
			return nil, err
		}
		if all, err = v.allowed(resource, all); err != nil {
			return nil, err
		}
		seen = append(seen, all...)
	}
	slices.SortFunc(seen, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), b.Created.Compare(a.Created), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Name, b.Name))
	})
	return seen, nil
}

// allowed returns those of all objects in whose namespaces the reader may list the resource. Most
// readers may so in all, or in few.
func (v *view) allowed(resource Resource, all []Object) ([]Object, error) {
	everywhere, err := may(v.Context(), v.reader, "list", Key{Resource: resource})
	if err != nil || everywhere {
		return all, err
	}
	in := map[string]bool{}
	var seen []Object
	for i := range all {
		namespace := all[i].Namespace
		allowed, asked := in[namespace]
		if !asked {
			if allowed, err = may(v.Context(), v.reader, "list", Key{Resource: resource, Namespace: namespace}); err != nil {
				return nil, err
			}
			in[namespace] = allowed
		}
		if allowed {
			seen = append(seen, all[i])
		}
	}
	return seen, nil
}

// versionOf is another text for other objects, or other versions of them.
func versionOf(objects []Object) string {
	h := sha256.New()
	for i := range objects {
		o := &objects[i]
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\n", o.Resource, o.Namespace, o.Name, o.Version)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
