// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// catalogueOptions are the flags of catalogue.
type catalogueOptions struct {
	manifest local.Options
	entries  []string
	models   map[string]string
	output   cli.Format
}

// NewCatalogueCommand is the verb catalogue.
func NewCatalogueCommand() *cobra.Command {
	o := catalogueOptions{output: cli.Table, manifest: local.Options{Parallelism: 1}}
	cmd := &cobra.Command{
		Use:   "catalogue [WORD...]",
		Short: "List the models and accelerators that a scenario can name",
		Long: `List the models and accelerators that a scenario can name, with their key
figures and the number of KV blocks of a replica. A WORD selects the entries whose
names contain it; upper and lower case are equal.

With -f the list includes the entries that the scenarios of a manifest add. The
output of -o yaml is valid in scenario.catalogue: copy an entry, change it, and
check it with --entries. --model converts the config.json of a model on Hugging
Face to an entry.`,
		Example: `  windtunnel catalogue
  windtunnel catalogue llama h100
  windtunnel catalogue -f config/samples/simulationrun-catalogue.yaml my-
  windtunnel catalogue qwen3-32b -o yaml
  windtunnel catalogue --model my-org/my-model=config.json my-model`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), args)
		},
	}
	f := cmd.Flags()
	o.manifest.RegisterFiles(f, ", whose catalogue entries to list too")
	o.manifest.RegisterConfigMaps(f)
	f.StringArrayVar(&o.entries, "entries", nil, "file with your own entries; may be repeated")
	f.StringToStringVar(&o.models, "model", nil, "NAME=FILE: a model's Hugging Face config.json; may be repeated")
	cli.OutputFlag(f, &o.output, cli.DocumentFormats, "")
	return cmd
}

func (o *catalogueOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer, words []string) error {
	own, err := o.ownEntries(ctx, stdin)
	if err != nil {
		return err
	}
	chosen := selectEntries(latency.Builtin().With(own...), words)
	if len(chosen.Models)+len(chosen.Accelerators) == 0 {
		return cli.BadInput(fmt.Errorf("no entry of the catalogue contains %s; windtunnel catalogue lists all entries", strings.Join(words, ", ")))
	}
	if o.output != cli.Table {
		return o.output.Write(stdout, chosen)
	}
	return writeCatalogue(stdout, chosen)
}

// selectEntries returns the entries whose names contain one of the words, or all where
// there is no word.
func selectEntries(c *latency.Catalogue, words []string) latency.Entries {
	var chosen latency.Entries
	for _, name := range matchingNames(c.ModelNames(), words) {
		m, _ := c.Model(name)
		chosen.Models = append(chosen.Models, m)
	}
	for _, name := range matchingNames(c.AcceleratorNames(), words) {
		a, _ := c.Accelerator(name)
		chosen.Accelerators = append(chosen.Accelerators, a)
	}
	return chosen
}

func matchingNames(names, words []string) []string {
	if len(words) == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(word)) })
	})
}
