// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Bench measures the speed of the engine on its reference workloads: simulated requests
// per CPU second, allocations, peak memory, and the efficiency of parallel runs. Each
// case runs in a separate process, so peak memory is the peak of one case.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	if done, err := child(os.Getenv(childCase), os.Stdout); done {
		exit(err)
	}
	exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func exit(err error) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// options are the flags.
type options struct {
	cases, trace, output, machine, date, peer string
	repeat                                    int
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.cases, "cases", "", "regular `expression` of the cases to run, by name; by default all, and then the command as a whole")
	flags.StringVar(&o.trace, "trace", "", "Mooncake's conversation_trace.jsonl `file`; by default looked for as the tests do, in $WINDTUNNEL_DATA or next to the checkout")
	flags.StringVar(&o.peer, "peer", "", "`folder` of a checkout of inference-sim, which is measured on the same workload; not measured without it")
	flags.IntVar(&o.repeat, "repeat", 3, "`times` that each case is run; the median of the CPU times counts")
	flags.StringVar(&o.output, "o", "", "also write the page of documentation to this `file`; needs -date")
	flags.StringVar(&o.machine, "machine", machine(), "what the page says of the machine")
	flags.StringVar(&o.date, "date", "", "`day` of the measurement that the page names")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.repeat < 1:
		return fmt.Errorf("-repeat %d: want at least 1", o.repeat)
	case o.output != "" && (o.date == "" || o.cases != ""):
		return errors.New("-o needs -date, and all cases")
	}
	return o.measure(stdout, stderr)
}

// measure runs the cases and prints what they took.
func (o options) measure(stdout, stderr io.Writer) error {
	chosen, err := choose(o.cases)
	if err != nil {
		return err
	}
	var results []result
	for _, c := range chosen {
		fmt.Fprintf(stderr, "bench: %s\n", c.name)
		r, err := measureCase(c, o.tracePath(), o.repeat)
		if errors.Is(err, errAbsent) {
			fmt.Fprintf(stderr, "bench: %s: %v\n", c.name, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
	}
	fmt.Fprintf(stdout, "%s, %s, median of %d\n\n", o.machine, runtime.Version(), o.repeat)
	if err := writeTable(stdout, results); err != nil {
		return err
	}
	if o.cases != "" {
		return nil
	}
	all, err := o.measureCommands(stderr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s\n", all.Ours)
	if all.Version != "" {
		fmt.Fprintf(stdout, "\ninference-sim %s\n\n%s\n", all.Version, all.Peer)
	}
	if o.output == "" {
		return nil
	}
	return writePage(o, results, all)
}
