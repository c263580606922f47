// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/edit"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A Fixed is a file with what could be rewritten.
type Fixed struct {
	File string
	// Before and Content are the file as it was and as it is to be.
	Before, Content []byte
	// Notes say of each configuration what was rewritten, or why it was not.
	Notes []string
	// Blocked is whether some configuration could not be rewritten.
	Blocked bool
}

// Changed reports whether anything was rewritten.
func (f *Fixed) Changed() bool { return string(f.Before) != string(f.Content) }

// WriteText writes the notes and the difference.
func (f *Fixed) WriteText(w io.Writer) {
	for _, note := range f.Notes {
		fmt.Fprintf(w, "%s: %s\n", f.File, note)
	}
	fmt.Fprint(w, edit.Diff(f.File, string(f.Before), string(f.Content)))
}

// FixOptions say how to rewrite.
type FixOptions struct {
	// Versions are those that are asked for; the first one counts.
	Versions []string
	// DeleteUnknown is whether fields and parameters that the version does not have
	// may be deleted, which forgets what they say.
	DeleteUnknown bool
}

// Fix rewrites the configurations of a file for a version of the EPP: the first
// one that is asked for, else the one that a manifest of Windtunnel names, else
// the default one, or the newer one that alone accepts the configuration. It edits the text where findings have edits, and leaves all
// else as it is written. A configuration that does not load in that version in
// the end is left alone, and its note says why.
func Fix(file string, content []byte, options FixOptions) (Fixed, error) {
	f := Fixed{File: file, Before: content, Content: content}
	sources, err := files.Find(content)
	if err == nil && len(sources) == 0 {
		err = ErrNoConfig
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w", file, err)
	}
	// From the last to the first, so that places stay what they are.
	notes := make([]string, len(sources))
	for i := len(sources) - 1; i >= 0; i-- {
		source := &sources[i]
		version := fixVersion(source, options.Versions)
		text, done, err := fixText(source, version, options.DeleteUnknown)
		notes[i] = label(source) + note(version, done, err)
		f.Blocked = f.Blocked || err != nil
		if err != nil || len(done) == 0 {
			continue
		}
		spliced, ok := edit.Embed(f.Content, source, text)
		if !ok {
			notes[i] = label(source) + "not rewritten: the file does not contain its text literally"
			f.Blocked = true
			continue
		}
		f.Content = spliced
	}
	f.Notes = notes
	return f, nil
}

// Remaining reports what there is to find in the file as it is to be, for the
// versions that [Fix] rewrote it for.
func (f *Fixed) Remaining(versions []string, context Context) (Report, error) {
	report := Report{File: f.File}
	sources, err := files.Find(f.Content)
	known := scenarios(f.Content)
	for i := range sources {
		of := Options{Versions: []string{fixVersion(&sources[i], versions)}, Context: contextFor(&sources[i], context, known)}
		c := readConfig(&sources[i], of)
		for j := range c.Findings {
			c.Findings[j].File = f.File
		}
		report.Configs = append(report.Configs, c)
	}
	return report, err
}

func fixVersion(source *files.Source, versions []string) string {
	if len(versions) == 0 {
		versions = wanted(source, Options{})
	}
	if versions[0] == auto {
		if newest, _ := epp.Newest(source.Text, nil); newest.Stage == config.Accepted && version.Provenance(newest.Version) != "" {
			return newest.Version
		}
		return fullName("")
	}
	return versions[0]
}

func label(source *files.Source) string {
	if source.Name == "" {
		return ""
	}
	return source.Name + ": "
}

func note(version string, done []string, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("not rewritten: %v", err)
	case len(done) == 0:
		return "nothing to rewrite for " + version
	}
	return fmt.Sprintf("rewritten for %s: %s", version, strings.Join(done, "; "))
}

// mostPasses bounds how often a text is rewritten.
const mostPasses = 64

// fixText rewrites a configuration until no finding has an edit. done says what
// was found at which path. The error says what the version still refuses.
func fixText(source *files.Source, version string, deleteUnknown bool) (fixed string, done []string, err error) {
	text := string(source.Text)
	seen := map[string]bool{text: true}
	for range mostPasses {
		next, what := fixPass(text, version, deleteUnknown)
		if len(what) == 0 || seen[next] {
			break
		}
		text, done, seen[next] = next, append(done, what...), true
	}
	if v := judge([]byte(text), version); v.Stage != config.Accepted {
		s := summary(source, &v)
		return "", nil, fmt.Errorf("%s would still reject it: %s", version, s.reason())
	}
	return text, done, nil
}

// fixPass makes rewritings that have nothing to do with each other: one for each
// plugin, profile or field of the document.
func fixPass(text, version string, deleteUnknown bool) (fixed string, what []string) {
	v := judge([]byte(text), version)
	b := newBuffer(text)
	if b.Root == nil {
		return text, nil
	}
	m := editFinder{buffer: b, version: version, verdict: &v, deleteUnknown: deleteUnknown}
	mended := map[string]bool{}
	var all []edit.Splice
	for _, f := range findings(&v, b.Root, Context{}) {
		part := partOf(f.Path)
		if mended[part] || len(what) == maxFindingsWithEdits {
			continue
		}
		splices := m.editsFor(&f)
		if splices == nil || overlap(all, splices) {
			continue
		}
		mended[part], all = true, append(all, splices...)
		what = append(what, fmt.Sprintf("%s (%s)", f.Path, f.Rule))
	}
	fixed, ok := b.Apply(all)
	if !ok {
		return text, nil
	}
	return fixed, what
}

// partOf is the plugin, profile or field that a path begins with.
func partOf(path string) string {
	all := steps(path)
	return strings.Join(all[:min(2, len(all))], ".")
}

func overlap(some, others []edit.Splice) bool {
	for _, a := range some {
		for _, b := range others {
			if a.Start == b.Start || a.Start < b.End && b.Start < a.End {
				return true
			}
		}
	}
	return false
}

// edit is a splice as an edit of the file.
func (b *buffer) edit(s edit.Splice, source *files.Source) Edit {
	line, column := b.Position(s.Start)
	endLine, endColumn := b.Position(s.End)
	e := Edit{NewText: edit.Indent(s.Text, source.Indent, "\n")}
	e.Line, e.Column = source.Position(line, column)
	e.EndLine, e.EndColumn = source.Position(endLine, endColumn)
	return e
}
