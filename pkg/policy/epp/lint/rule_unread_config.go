// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

var unreadConfig = Rule{
	ID: "unread-config", Severity: Warning,
	Summary: "Helm values whose pluginsConfigFile is no key of pluginsCustomConfig",
	Why:     "The EPP is started with the file that pluginsConfigFile names, and does not start where the image does not have it. The configurations under other keys are not read.",
	Fix:     "Write the same name in pluginsConfigFile and as the key of pluginsCustomConfig.",
	Source:  "llm-d's charts",
	Version: auto,
}

// unreadConfigs is the finding about a configuration of Helm values that name another
// file.
func unreadConfigs(source *files.Source, known []scenarioContext, versions []string) []Finding {
	for _, s := range known {
		if s.otherFile == "" || !strings.HasPrefix(source.Name, s.sources) {
			continue
		}
		p := pass{rule: &unreadConfig}
		p.report(nil, "the EPP does not read this configuration: pluginsConfigFile names %s", s.otherFile)
		f := p.found[0]
		f.Config, f.Versions, f.Line, f.Column = source.Name, versions, s.line, 1
		return []Finding{f}
	}
	return nil
}
