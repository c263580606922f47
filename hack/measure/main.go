// SPDX-License-Identifier: Apache-2.0

// Measure compares step times that measure.py measured on a GPU with the roofline
// model, and writes them as a table for the latency model `table`.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/latency"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "measure: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.SetOutput(stderr)
	model := flags.String("model", "meta-llama/Llama-3.1-8B-Instruct", "`name` of the model in the catalogue")
	accelerator := flags.String("accelerator", "h200-sxm", "`name` of the GPU in the catalogue")
	table := flags.String("table", "", "also write the times to this `file`, for the table latency model")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: measure [flags] POINTS.csv")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("want one file of points (see -help)")
	}
	points, err := readFile(flags.Arg(0))
	if err != nil {
		return err
	}
	timer, err := roofline(*model, *accelerator)
	if err != nil {
		return err
	}
	if err := writeErrors(stdout, points, timer); err != nil {
		return err
	}
	if *table == "" {
		return nil
	}
	return writeTable(*table, points, stderr)
}

// roofline is the model on one such GPU, with the coefficients that a scenario
// starts with.
func roofline(model, accelerator string) (latency.StepTimer, error) {
	m, ok := latency.Builtin().Model(model)
	if !ok {
		return nil, fmt.Errorf("-model %q: want one of %q", model, latency.Builtin().ModelNames())
	}
	a, ok := latency.Builtin().Accelerator(accelerator)
	if !ok {
		return nil, fmt.Errorf("-accelerator %q: want one of %q", accelerator, latency.Builtin().AcceleratorNames())
	}
	i := latency.Instance{Model: m, Accelerator: a, TensorParallelism: 1}
	return i.Roofline(i.DefaultRoofline()), nil
}

// writeTable writes what of the points makes two full grids.
func writeTable(path string, points []point, stderr io.Writer) error {
	table, omitted := toTable(points)
	for _, what := range omitted {
		fmt.Fprintf(stderr, "measure: not in the table: %s\n", what)
	}
	if errs := table.Validate(nil); len(errs) > 0 {
		return fmt.Errorf("table: %w", errs.ToAggregate())
	}
	text, err := yaml.Marshal(table)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
