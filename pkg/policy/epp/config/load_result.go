// SPDX-License-Identifier: Apache-2.0

package config

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
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

// A LoadResult is what the EPP of one version makes of a text.
type LoadResult struct {
	// Version is the full name, such as router-v0.10.0.
	Version string
	Stage   Stage
	// Experimental is whether the EPP starts only with
	// --allow-experimental-plugins, which came with router-v0.10.
	Experimental bool
	// Errors say why the configuration is refused, with the paths of the
	// document's fields. The first one is what the EPP stops at; the others
	// that can be found follow in the order in which it would come to them.
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

// Judge says what the EPP of a dialect makes of a text, as its loader of a dialect
// with these types of plugins does. path is where the text stands.
func Judge(types Registry, d version.Dialect, text []byte, path *field.Path) LoadResult {
	l := newLoader(types, d, path)
	if len(text) == 0 {
		text = l.builtIn()
	}
	return l.judge(l.Parse(text))
}

// JudgeTree is [Judge] for a document that was decoded from JSON, with numbers as json.Number.
func JudgeTree(types Registry, d version.Dialect, tree map[string]any, path *field.Path) LoadResult {
	return newLoader(types, d, path).judge(document.NodeOf(tree), true)
}

func newLoader(types Registry, d version.Dialect, path *field.Path) *Loader {
	return &Loader{types: types, Dialect: d, path: path, ByName: map[string]*Plugin{}}
}
