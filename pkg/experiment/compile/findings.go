// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// lint notes what the linter finds in a configuration.
func (c *compiler) lint(text []byte, version string, context lint.Context, path *field.Path) {
	for _, f := range lint.Check(text, version, context) {
		at := path.String()
		if f.Path != "" {
			at += ": " + f.Path
		}
		c.plan.Findings = append(c.plan.Findings, experiment.Finding{Rule: f.Rule, Severity: f.Severity, Path: at, Message: f.Message})
	}
}

// lintContext is what a scenario says that some rules need.
func lintContext(in *v1alpha1.Scenario) lint.Context {
	c := lint.Context{
		Replicas:       int(in.Router.Replicas),
		ScrapeInterval: in.Router.MetricsRefreshInterval.Duration(),
	}
	for i := range in.Pools {
		pool := &in.Pools[i]
		c.BlockTokens = int(pool.Engine.BlockSize)
		c.Endpoints += setup.Ports(in, pool)
		c.Tiers = max(c.Tiers, 1+len(pool.KVCache.Tiers))
	}
	if in.Workload.Trace == nil && len(in.Workload.Traces) == 0 {
		c.SharedTokens = sharedTokens(in.Workload.Clients)
	}
	return c
}

// sharedTokens is the longest prefix of some clients; 0 if the prompts of one share more than a prefix.
func sharedTokens(clients []v1alpha1.Client) int {
	longest := 0
	for i := range clients {
		client := &clients[i]
		if client.Sessions != nil || client.Prompts != nil {
			return 0
		}
		if p := client.Prefix; p != nil {
			if p.Examples != nil {
				return 0
			}
			longest = max(longest, int(p.Tokens))
		}
	}
	return longest
}

// otherStart says what the file of an EPP's configuration says of its start, and the
// scenario otherwise.
func otherStart(file *files.Start, scenario *lint.Context, path *field.Path) []string {
	var texts, unused []string
	if unread := file.Unread(); unread != "" {
		texts = append(texts, fmt.Sprintf("%s: %s", path, unread))
	}
	if has := max(scenario.Replicas, 1); file.Replicas > 0 && file.Replicas != has {
		unused = append(unused, fmt.Sprintf("replicas %d (the scenario has %d)", file.Replicas, has))
	}
	if has := cmp.Or(scenario.ScrapeInterval, simulator.DefaultScrapeInterval); file.ScrapeInterval > 0 && max(file.ScrapeInterval, simulator.DefaultScrapeInterval) != has {
		unused = append(unused, fmt.Sprintf("metricsRefreshInterval %s (the scenario has %s)", file.ScrapeInterval, has))
	}
	if len(unused) > 0 {
		texts = append(texts, fmt.Sprintf("%s: the simulation does not use what the file says in addition to the configuration: %s. State it in the scenario's router",
			path, strings.Join(unused, " and ")))
	}
	return texts
}

// deprecated notes that an object has a field that another one replaces.
func (c *compiler) deprecated(path, by *field.Path) {
	c.plan.Findings = append(c.plan.Findings, experiment.Finding{
		Rule: lint.DeprecatedField, Severity: lint.Warning, Path: path.String(), Message: fmt.Sprintf("is deprecated, use %s", by),
	})
}

// notFollowed is the rule of notices about simulations, of which the linter is
// silent.
const notFollowed = "not-followed"

// warnings are what the linter does not say of a configuration.
func warnings(config *config.Config, path *field.Path) []string {
	var texts []string
	notices := config.Notices()
	for i, text := range config.Warnings() {
		if notices[i].Rule == notFollowed {
			texts = append(texts, fmt.Sprintf("%s: %s", path, text))
		}
	}
	return texts
}
