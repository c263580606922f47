// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// catalogueOptions are the flags of catalogue.
type catalogueOptions struct {
	files  []string
	models map[string]string
	output outputFormat
}

func newCatalogueCommand() *cobra.Command {
	o := catalogueOptions{output: outputTable}
	cmd := &cobra.Command{
		Use:   "catalogue [WORD...]",
		Short: "List the models and accelerators that a scenario can name",
		Long: `List the models and accelerators that a scenario can name, with their key
figures and the KV blocks that a replica has room for. Words choose the entries
whose names contain one of them, in whatever case.

The YAML that -o yaml prints is what scenario.catalogue takes: copy an entry,
change it, and check it here with -f. The config.json of a model on Hugging Face
becomes an entry with --model.`,
		Example: `  windtunnel catalogue
  windtunnel catalogue llama h100
  windtunnel catalogue qwen3-32b -o yaml
  windtunnel catalogue --model my-org/my-model=config.json my-model`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.OutOrStdout(), args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file of entries of your own; may be repeated")
	f.StringToStringVar(&o.models, "model", nil, "NAME=FILE: a model's Hugging Face config.json; may be repeated")
	f.VarP(&o.output, "output", "o", "table, json or yaml")
	return cmd
}

func (o *catalogueOptions) run(stdout io.Writer, words []string) error {
	own, err := o.entries()
	if err != nil {
		return err
	}
	chosen := choose(latency.Builtin().With(own), words)
	if len(chosen.Models)+len(chosen.Accelerators) == 0 {
		return badInput{fmt.Errorf("the catalogue has nothing like %s; windtunnel catalogue lists all", strings.Join(words, ", "))}
	}
	if o.output != outputTable {
		return o.output.write(stdout, chosen)
	}
	return writeCatalogue(stdout, chosen)
}

// entries reads what the flags add.
func (o *catalogueOptions) entries() (latency.Entries, error) {
	var own latency.Entries
	for _, name := range o.files {
		entries, err := readEntries(name, latency.ParseEntries)
		if err != nil {
			return own, err
		}
		own.Models = append(own.Models, entries.Models...)
		own.Accelerators = append(own.Accelerators, entries.Accelerators...)
	}
	for _, model := range slices.Sorted(maps.Keys(o.models)) {
		entry, err := readEntries(o.models[model], func(raw []byte, path *field.Path) (latency.Model, field.ErrorList) {
			return latency.ParseHuggingFace(model, raw, path)
		})
		if err != nil {
			return own, err
		}
		own.Models = append(own.Models, entry)
	}
	return own, nil
}

func readEntries[T any](name string, parse func([]byte, *field.Path) (T, field.ErrorList)) (T, error) {
	var none T
	raw, err := os.ReadFile(name)
	if err != nil {
		return none, badInput{err}
	}
	entries, errs := parse(raw, nil)
	if len(errs) > 0 {
		return none, badInput{fmt.Errorf("%s is invalid:\n%s", name, bullets(errs))}
	}
	return entries, nil
}

// choose returns the entries whose names contain one of the words, or all where
// there is no word.
func choose(c *latency.Catalogue, words []string) latency.Entries {
	var chosen latency.Entries
	for _, name := range matching(c.ModelNames(), words) {
		m, _ := c.Model(name)
		chosen.Models = append(chosen.Models, m)
	}
	for _, name := range matching(c.AcceleratorNames(), words) {
		a, _ := c.Accelerator(name)
		chosen.Accelerators = append(chosen.Accelerators, a)
	}
	return chosen
}

func matching(names, words []string) []string {
	if len(words) == 0 {
		return names
	}
	var found []string
	for _, name := range names {
		for _, word := range words {
			if strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
				found = append(found, name)
				break
			}
		}
	}
	return found
}
