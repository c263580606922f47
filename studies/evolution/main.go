// SPDX-License-Identifier: Apache-2.0

// Evolution measures how many evaluations a loop needs that improves a policy, with the
// summaries of the evaluator and without them, through Go, the shims in Python and a sweep. It
// writes docs/studies/evolution-study.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/pkg/fence"
)

func main() {
	fence.Serve(nil)
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "evolution: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("evolution", flag.ContinueOnError)
	flags.SetOutput(stderr)
	to := flags.String("o", "../docs/studies/evolution-study.md", "the page, a `file`")
	shims := flags.String("python", "../python", "the `folder` of the shims")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	p, err := find(context.Background(), fullScale, *shims, stderr)
	if err != nil {
		return err
	}
	return p.write(*to)
}
