// SPDX-License-Identifier: Apache-2.0

// Tiers measures the share of the prompt tokens of the Mooncake conversation trace that KV
// caches of growing size serve, with and without tiers below GPU memory. It writes
// docs/studies/tiers.md with a chart.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "tiers: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("tiers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/tiers.md", "the page, a `file`; the chart goes beside it, with the ending svg")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	trace, err := conversation()
	if err != nil {
		return err
	}
	f, err := find(trace, fullScale())
	if err != nil {
		return err
	}
	return f.write(*page)
}

// conversation reads the trace.
func conversation() (*trace.Trace, error) {
	path, err := study.DataFile("traces", "mooncake-fast25", "conversation_trace.jsonl")
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return trace.Read(trace.Mooncake, file, path)
}
