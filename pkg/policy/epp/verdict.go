// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Stage is how far an EPP gets with a configuration.
type Stage string

const (
	// Accepted configurations let the EPP start.
	Accepted Stage = "accepted"
	// RefusedInDecoding is for documents that cannot be read: their syntax, group
	// and version, fields, and feature gates.
	RefusedInDecoding Stage = "refused in decoding"
	// RefusedInLoading is for what the document says: types, parameters,
	// references, and what is missing once defaults are filled in.
	RefusedInLoading Stage = "refused in loading"
	// RefusedInStarting is for what the EPP loads, and then cannot connect: the
	// sources and extractors of its data layer.
	RefusedInStarting Stage = "refused in starting"
)

// A Verdict is what the EPP of one version makes of a text.
type Verdict struct {
	// Version is the full name, such as router-v0.10.0.
	Version string
	Stage   Stage
	// Experimental is whether the EPP starts only with
	// --allow-experimental-plugins, which came with router-v0.10.
	Experimental bool
	// Errors say why the configuration is refused, with the paths of the
	// document's fields. The first one is what the EPP stops at; the others
	// that can be told apart follow in the order in which it would come to them.
	Errors field.ErrorList
	// Notices say what the EPP accepts and ignores, replaces or deprecates.
	Notices []Notice
	// Config is the configuration with all defaults; nil where it was refused in
	// decoding or loading.
	Config *Config
}

// A Notice is about a part of a document that means something else than it says,
// or that will not be accepted much longer.
type Notice struct {
	Path *field.Path
	// Rule names the kind, such as deprecated or ignored-parameter.
	Rule string
	Text string
}

// Judge says what the EPP of one version makes of a text: YAML or JSON, an
// EndpointPickerConfig and nothing around it. An empty text is the EPP's built-in
// configuration. Versions are those of [Versions], or short for the newest patch
// of one; empty is router-v0.10. path is where the text stands.
func Judge(text []byte, version string, path *field.Path) Verdict {
	d, err := parseVersion(version, path)
	if err != nil {
		return Verdict{Version: version, Stage: RefusedInDecoding, Errors: field.ErrorList{err}}
	}
	l := &loader{dialect: d, path: path, byName: map[string]*plugin{}}
	return l.judge(text)
}

// Load is [Judge] for those who want to simulate: errors are why the EPP would
// not start. What it starts with and Windtunnel cannot follow is for
// [Config.Check].
func Load(text []byte, version string, path *field.Path) (*Config, field.ErrorList) {
	v := Judge(text, version, path)
	if v.Stage != Accepted {
		return nil, v.Errors
	}
	return v.Config, nil
}

// Fits judges a text by every version, in order of release.
func Fits(text []byte, path *field.Path) []Verdict {
	verdicts := make([]Verdict, 0, len(dialects))
	for _, d := range dialects {
		verdicts = append(verdicts, Judge(text, d.name, path))
	}
	return verdicts
}

// Newest returns the newest version that accepts a text, and says so in words
// with the others that do. One that was read from a fork counts only where no
// other accepts the text. Where none does it returns the verdict of the version
// that gets farthest, the newest of them.
func Newest(text []byte, path *field.Path) (Verdict, string) {
	verdicts := Fits(text, path)
	best, others := 0, 0
	for i, v := range verdicts {
		ahead := progress[v.Stage] - progress[verdicts[best].Stage]
		if ahead > 0 || ahead == 0 && !dialects[i].fork {
			best = i
		}
		if v.Stage == Accepted && (!dialects[i].fork || best == i) {
			others++
		}
	}
	chosen := verdicts[best]
	if dialects[best].fork && others > 0 {
		return chosen, fmt.Sprintf("taken for %s, the only version of the EPP that accepts it, which was %s", chosen.Version, Provenance(chosen.Version))
	}
	switch others {
	case 0:
		return chosen, fmt.Sprintf("no version of the EPP accepts this configuration; %s gets farthest", chosen.Version)
	case 1:
		return chosen, fmt.Sprintf("taken for %s, the only version of the EPP that accepts it", chosen.Version)
	}
	return chosen, fmt.Sprintf("taken for %s, the newest of %d versions of the EPP that accept it", chosen.Version, others)
}

// progress orders the stages by how far the EPP gets.
var progress = map[Stage]int{RefusedInDecoding: 0, RefusedInLoading: 1, RefusedInStarting: 2, Accepted: 3}
