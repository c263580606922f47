// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

var onlyOldVersions = Rule{
	ID: "only-old-versions", Severity: Warning,
	Summary:   "a file that the current version rejects, without a named version",
	Why:       "The findings are about the newest version that accepts the file. After an upgrade to a later version the EPP does not start: its pod crash-loops.",
	Fix:       "Name the version that you run. For an upgrade, --fix --epp-version router-v0.10 corrects what it can.",
	Source:    "llm-d #1625",
	Version:   auto,
	AlsoFinds: []string{ignoredParameter.ID, unknownParameter.ID},
}

// outdated says what the current version, the default one, stops at, where a version
// before it is the newest that accepts the text.
func outdated(source *files.Source, newest string, current *config.LoadResult) []Finding {
	versions := version.Names()
	if current.Stage == config.Accepted || slices.Index(versions, newest) >= slices.Index(versions, current.Version) {
		return nil
	}
	p := pass{rule: &onlyOldVersions, version: newest}
	stops := current.Errors[0]
	p.report(nil, "%s is the newest version that starts with this file; %s stops here: %s", newest, current.Version, message(stops))
	p.found[0].Path = pathOf(stops)
	place(p.found, source, parse(source.Text))
	return p.found
}
