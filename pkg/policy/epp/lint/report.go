// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Options say what to look at a file for.
type Options struct {
	// Versions are the EPP's. Where there are none, or one is auto, each
	// configuration is looked at for the newest version that accepts it.
	Versions []string
	// Context is what configurations do not say.
	Context Context
}

// A Report is what there is to know of a file.
type Report struct {
	File    string         `json:"file"`
	Configs []ConfigReport `json:"configs"`
	// Manifests are the findings about the file's manifests of Windtunnel.
	Manifests []Finding `json:"manifests,omitempty"`
	// Clean are the objects without findings that are no EPP configurations: the kind and the name.
	Clean []string `json:"clean,omitempty"`
}

// Findings are all that there are, those about manifests first.
func (r *Report) Findings() []Finding {
	found := slices.Clone(r.Manifests)
	for _, c := range r.Configs {
		found = append(found, c.Findings...)
	}
	return found
}

// A ConfigReport is what there is to know of one configuration.
type ConfigReport struct {
	// Name says where in the file it stands, if it is not all of it; Line is where
	// it begins.
	Name string `json:"name,omitempty"`
	Line int    `json:"line"`
	// Versions are those that findings are about.
	Versions []string `json:"versions"`
	// Verdicts are of every version, in order of release.
	Verdicts []Compatibility `json:"verdicts"`
	Findings []Finding       `json:"findings"`

	// named is whether the versions were asked for, or named by a manifest.
	named bool
}

// A Compatibility says whether the EPP of a version starts with a configuration.
type Compatibility struct {
	Version string       `json:"version"`
	Verdict config.Stage `json:"verdict"`
	// Provenance is what the verdict rests on, where that is not the version's own
	// loader.
	Provenance string `json:"provenance,omitempty"`
	// Experimental is whether that needs --allow-experimental-plugins.
	Experimental bool `json:"experimental,omitempty"`
	// Path and Reason are what the EPP stops at.
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// ErrNoConfig is a file without any EndpointPickerConfig.
var ErrNoConfig = errors.New("no EndpointPickerConfig found")

// ParseVersions checks names of versions, or auto, and completes them.
func ParseVersions(names []string) ([]string, error) {
	var full []string
	for _, name := range names {
		if name != auto {
			if errs := version.Validate(name, nil); len(errs) > 0 {
				return nil, fmt.Errorf("%q: %s", name, errs[0].Detail)
			}
			name = fullName(name)
		}
		full = append(full, name)
	}
	return full, nil
}

const auto = "auto"

// Read looks at every configuration of a file. It returns [ErrNoConfig] where
// there is none; other errors are of documents that are no YAML.
func Read(file string, content []byte, options Options) (Report, error) {
	sources, err := files.Find(content)
	if err == nil && len(sources) == 0 {
		err = ErrNoConfig
	}
	if err != nil {
		return Report{}, fmt.Errorf("%s: %w", file, err)
	}
	report := Report{File: file}
	known := scenarios(content)
	for i := range sources {
		of := options
		of.Context = contextFor(&sources[i], options.Context, known)
		c := readConfig(&sources[i], of)
		c.Findings = append(unreadConfigs(&sources[i], c.Versions), c.Findings...)
		for j := range c.Findings {
			c.Findings[j].File = file
		}
		report.Configs = append(report.Configs, c)
	}
	return report, nil
}

func readConfig(source *files.Source, options Options) ConfigReport {
	r := ConfigReport{Name: source.Name, Line: source.Line, Findings: []Finding{}}
	byVersion := map[string]config.LoadResult{}
	current := fullName("")
	newest, accepted := current, false
	for _, v := range epp.Fits(source.Text, nil) {
		byVersion[v.Version] = v
		if v.Stage == config.Accepted && (version.Provenance(v.Version) == "" || !accepted) {
			newest, accepted = v.Version, true
		}
		r.Verdicts = append(r.Verdicts, summary(source, &v))
	}
	if last := r.Verdicts[len(r.Verdicts)-1].Version; !accepted && newerThanAll(byVersion[last]) {
		newest = last
	}
	versions := wanted(source, options)
	r.named = !slices.Contains(versions, auto)
	for _, version := range versions {
		if version == auto {
			version = newest
			stops := byVersion[current]
			r.Findings = merge(r.Findings, outdated(source, newest, &stops))
		}
		version = fullName(version)
		if !slices.Contains(r.Versions, version) {
			r.Versions = append(r.Versions, version)
			r.Findings = merge(r.Findings, check(source, byVersion[version], options.Context))
		}
	}
	return r
}

// newerThanAll reports whether the newest version stops at what may be newer than it.
func newerThanAll(newest config.LoadResult) bool {
	return slices.ContainsFunc(newest.Errors, func(err *field.Error) bool { return strings.Contains(err.Detail, version.NewerThanKnown) })
}

// wanted are the versions to look at a configuration for: what was asked for, or
// what its manifest names.
func wanted(source *files.Source, options Options) []string {
	if len(options.Versions) > 0 {
		return options.Versions
	}
	if full, err := ParseVersions([]string{source.Version}); source.Version != "" && err == nil {
		return full
	}
	return []string{auto}
}

// summary is a verdict in short. A fault of the syntax has its line in the file.
func summary(source *files.Source, v *config.LoadResult) Compatibility {
	s := Compatibility{Version: v.Version, Verdict: v.Stage, Provenance: version.Provenance(v.Version), Experimental: v.Experimental}
	if len(v.Errors) > 0 {
		s.Path, s.Reason = pathOf(v.Errors[0]), message(v.Errors[0])
		if line, problem := document.CutLine(s.Reason); line > 0 {
			line, _ = source.Position(line, 1)
			s.Reason = fmt.Sprintf("line %d: %s", line, problem)
		}
	}
	return s
}

// merge adds findings of another version; those that are there already hold for
// both.
func merge(found, more []Finding) []Finding {
	for _, f := range more {
		same := slices.IndexFunc(found, func(g Finding) bool {
			return g.Rule == f.Rule && g.Path == f.Path && g.Line == f.Line && g.Message == f.Message
		})
		if same < 0 {
			found = append(found, f)
			continue
		}
		for _, version := range f.Versions {
			if !slices.Contains(found[same].Versions, version) {
				found[same].Versions = append(found[same].Versions, version)
			}
		}
	}
	slices.SortStableFunc(found, compareFindings)
	return found
}

// compareFindings is the order of places. What may be newer than all known versions
// comes first: it says how far the other findings are to be trusted.
func compareFindings(a, b Finding) int {
	return cmp.Or(cmp.Compare(b.newer(), a.newer()), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

func (f *Finding) newer() int {
	if f.Rule == newerThanKnown.ID {
		return 1
	}
	return 0
}

// Worst counts the findings of reports that are as bad as a severity, or worse.
func Worst(reports []Report, limit Severity) int {
	n := 0
	for _, r := range reports {
		for _, f := range r.Findings() {
			if f.Severity.AtLeast(limit) {
				n++
			}
		}
	}
	return n
}
