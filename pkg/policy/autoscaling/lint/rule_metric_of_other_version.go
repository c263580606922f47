// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

var metricOfOtherVersion = Rule{
	ID: "metric-of-other-version", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a metric that the version of the EPP does not export; without --epp-version, one that the newest version has dropped",
	Why:     "The query has no series. A trigger of KEDA then counts as 0 unless ignoreNullValues is false, and a HorizontalPodAutoscaler has no value: neither scales up.",
	Fix:     "Use the name of the version, which the message has. With --epp-version, the finding is about the versions that you run.",
	Context: Context{Versions: []version.Dialect{newest}},
	check: func(p *pass) {
		if p.Simulated {
			return // a query of a scenario that reads one is an error
		}
		versions := p.Versions
		if len(versions) == 0 {
			versions = []version.Dialect{newest}
		}
		for _, m := range p.Metrics() {
			var told []string
			for _, read := range p.shape(&m).Reads {
				for i := range versions {
					if fault := query.NotExported(read.Metric, versions[i]); fault != "" && !slices.Contains(told, fault) {
						told = append(told, fault)
						p.reportAs(p.severityOf(), p.named(&m), "%s", fault)
					}
				}
			}
		}
	},
}

// newest is the newest version of the EPP.
var newest = version.All[len(version.All)-1]

// severityOf is a warning if the versions of the EPP are stated, and otherwise an info: the EPP may have an older version.
func (p *pass) severityOf() lint.Severity {
	if len(p.Versions) == 0 {
		return lint.Info
	}
	return lint.Warning
}
