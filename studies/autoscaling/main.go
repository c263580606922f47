// SPDX-License-Identifier: Apache-2.0

// Autoscaling compares policies of scalers under the load of a day and under a burst, on
// pools that do both phases and on prefill and decode apart, with replicas that take from 30
// seconds to 10 minutes to start. It writes docs/studies/autoscaling-study.md with two charts.
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
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "autoscaling: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("autoscaling", flag.ContinueOnError)
	flags.SetOutput(stderr)
	page := flags.String("o", "../docs/studies/autoscaling-study.md", "the page, a `file`; the charts go beside it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	f, err := find(context.Background(), fullScale(), stderr)
	if err != nil {
		return err
	}
	return f.write(*page)
}
