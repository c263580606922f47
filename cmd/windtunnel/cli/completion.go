// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// flagValues are the values of flags that are texts, for shells to complete.
func flagValues() map[string][]string {
	var components []string
	for _, name := range evaluate.Components {
		components = append(components, string(name))
	}
	return map[string][]string{
		"component":   components,
		"epp-version": slices.Concat([]string{"auto"}, version.Names()),
		"reflect":     insight.StrategyNames(),
		"summary":     append(insight.StrategyNames(), string(evaluate.NoSummary)),
		"fail-on":     {string(lint.Error), string(lint.Warning), string(lint.Info), "never"},
	}
}

// completeFlags has shells complete the values of a verb's flags where those are
// few: formats, versions, severities.
func completeFlags(cmd *cobra.Command) {
	values := flagValues()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		among := values[f.Name]
		if c, is := f.Value.(choice); is {
			for _, format := range c.among {
				among = append(among, string(format))
			}
		}
		if len(among) > 0 {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(among, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
		}
	})
	for _, verb := range cmd.Commands() {
		completeFlags(verb)
	}
}
