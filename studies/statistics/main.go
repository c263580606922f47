// SPDX-License-Identifier: Apache-2.0

// Statistics measures how reliable the intervals, gates and winners of a sweep are: it
// simulates a small sweep with a thousand seeds, and counts how often a few of these seeds
// would have misled. It prints the tables of docs/statistics.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "statistics: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("statistics", flag.ContinueOnError)
	flags.SetOutput(stderr)
	from := flags.String("sample", "../config/samples/policysweep-gates.yaml", "the `manifest` of the sweep, with a baseline")
	requests := flags.Int("requests", 300, "of a simulation")
	seeds := flags.Int("seeds", 1000, "of each point")
	draws := flags.Int("draws", 4000, "how often a few of the seeds are drawn")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	pools, err := simulate(ctx, *from, []string{"ttft.mean", "ttft.p99"}, *requests, *seeds)
	if err != nil {
		return err
	}
	for _, p := range pools {
		p.draws = *draws
		fmt.Fprintf(stdout, "## %s\n\n%s\n\n%s\n\n%s\n\n%s\n\n", p.metric, p.pairing(), p.coverage(), p.gates(), p.winners())
	}
	return nil
}
