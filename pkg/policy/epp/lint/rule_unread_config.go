// SPDX-License-Identifier: Apache-2.0

package lint

import "windtunnel.dev/windtunnel/pkg/policy/epp/files"

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
func unreadConfigs(source *files.Source, versions []string) []Finding {
	unread := source.Start.Unread()
	if unread == "" {
		return nil
	}
	p := pass{rule: &unreadConfig}
	p.report(nil, "%s", unread)
	f := p.found[0]
	f.Config, f.Versions, f.Line, f.Column = source.Name, versions, source.Start.OtherLine, 1
	return []Finding{f}
}
