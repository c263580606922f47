// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// An editFinder looks for edits that do away with findings.
type editFinder struct {
	*buffer
	version string
	verdict *config.LoadResult
	// deleteUnknown is whether fields that the version does not have may go.
	deleteUnknown bool
}

// A candidate is a set of edits that may do.
type candidate struct {
	splices []edit.Splice
	// types are those that the edits bring in: the version must have them.
	types []string
}

// maxFindingsWithEdits bounds how many findings of a configuration are given edits: each
// takes loading it some times.
const maxFindingsWithEdits = 64

// addEdits gives findings the edits that do away with them.
func addEdits(found []Finding, source *files.Source, v *config.LoadResult) {
	b := newBuffer(string(source.Text))
	if b.Root == nil {
		return
	}
	m := editFinder{buffer: b, version: v.Version, verdict: v}
	for i := range min(len(found), maxFindingsWithEdits) {
		for _, s := range m.editsFor(&found[i]) {
			found[i].Edits = append(found[i].Edits, b.edit(s, source))
		}
	}
}

// editsFor returns the edits that do away with a finding, or nil.
func (m *editFinder) editsFor(f *Finding) []edit.Splice {
	for _, c := range m.candidates(f) {
		if len(c.splices) > 0 && m.resolves(f, c) {
			return c.splices
		}
	}
	return nil
}

// resolves reports whether the version no longer rejects the place, and starts
// if it did before.
func (m *editFinder) resolves(f *Finding, c candidate) bool {
	for _, t := range c.types {
		if !hasType(m.version, t) {
			return false
		}
	}
	text, ok := m.Apply(c.splices)
	if !ok || parse([]byte(text)) == nil {
		return false
	}
	after := judge([]byte(text), m.version)
	if m.verdict.Stage == config.Accepted {
		return after.Stage == config.Accepted
	}
	return !slices.ContainsFunc(rejections(&after, parse([]byte(text))), func(g Finding) bool {
		// Elements of a list that go away leave their place to the next ones.
		return g.Path == f.Path && (g.Message == f.Message || !strings.HasSuffix(g.Path, "]"))
	})
}

// hasType reports whether a version has a type of plugin.
func hasType(version, typeName string) bool {
	for _, apiVersion := range apiVersions {
		v := judge([]byte("apiVersion: "+apiVersion+"\nkind: EndpointPickerConfig\nplugins:\n- type: "+typeName+"\n"), version)
		if slices.ContainsFunc(v.Errors, func(err *field.Error) bool { return err.Field == "apiVersion" }) {
			continue
		}
		return !slices.ContainsFunc(v.Errors, func(err *field.Error) bool { return err.Field == "plugins[0].type" })
	}
	return false
}

// apiVersions are the newest first.
var apiVersions = []string{"llm-d.ai/v1alpha1", "inference.networking.x-k8s.io/v1alpha1"}

// candidates are edits that may do away with a finding, the best first.
func (m *editFinder) candidates(f *Finding) []candidate {
	path := steps(f.Path)
	switch f.Rule {
	case "api-version":
		return m.apiVersion(f.Path)
	case "unknown-gate":
		return m.gate(f.Path)
	case "unknown-type":
		return m.rename(f.Path)
	case "unknown-parameter", "ignored-parameter":
		return m.parameter(f)
	case "unknown-field":
		return m.field(f, path)
	case "bad-value":
		return m.value(f.Path)
	case "broken-reference":
		return append(m.reference(f.Path), m.decider(path)...)
	case "refused":
		return m.decider(path)
	case "precise-without-events":
		return m.wiring(path)
	case "token-load-without-producer":
		return m.producer(path)
	case "deprecated":
		return m.successor(f, path)
	case "weight-on-non-scorer", "no-effect-in-profile":
		return []candidate{{splices: m.removeAt(f.Path)}}
	}
	return nil
}

func (m *editFinder) apiVersion(path string) []candidate {
	var all []candidate
	for _, version := range apiVersions {
		all = append(all, candidate{splices: m.replaceAt(path, version)})
	}
	return all
}

// gate writes name=true as name, or drops the gate.
func (m *editFinder) gate(path string) []candidate {
	var all []candidate
	if name, on := strings.CutSuffix(text(valueAt(m.Root, path)), "=true"); on {
		all = append(all, candidate{splices: m.replaceAt(path, name)})
	}
	return append(all, candidate{splices: m.removeAt(path)})
}

// value unquotes what is to be a number, and quotes what is to be a text.
func (m *editFinder) value(path string) []candidate {
	l, ok := m.last(path)
	if !ok {
		return nil
	}
	n := l.value()
	start, end, ok := m.Scalar(n)
	if !ok {
		return nil
	}
	if n.Style == 0 {
		return []candidate{{splices: edit.Replacing(start, end, `"`+n.Value+`"`)}}
	}
	return []candidate{{splices: edit.Replacing(start, end, n.Value)}}
}

// reference writes the name that is nearest.
func (m *editFinder) reference(path string) []candidate {
	l, ok := m.last(path)
	if !ok {
		return nil
	}
	name := nearest(text(l.value()), pluginNames(m.Root))
	if name == "" {
		return nil
	}
	return []candidate{{splices: m.Replace(l.value(), name)}}
}

// producer lists inflight-load-producer behind the plugin that needs it.
func (m *editFinder) producer(path []string) []candidate {
	l, ok := m.last("plugins[" + path[1] + "]")
	if !ok {
		return nil
	}
	return []candidate{{splices: m.InsertAfter(l.parent, l.index, []string{"- type: " + inFlightProducer}, "{type: "+inFlightProducer+"}")}}
}
