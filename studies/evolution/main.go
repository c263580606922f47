// SPDX-License-Identifier: Apache-2.0

// Evolution measures how many evaluations a loop needs that improves a policy, with the
// summaries of the evaluator and without them, through Go, the shims in Python and a sweep. It
// writes docs/studies/evolution-study.md.
package main

import (
	"context"
	"flag"
	"os"

	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	fence.Serve(nil)
	study.Main("evolution", func(flags *flag.FlagSet) func() error {
		to := flags.String("o", "../docs/studies/evolution-study.md", "the page, a `file`")
		shims := flags.String("python", "../python", "the `folder` of the shims")
		return func() error {
			p, err := find(context.Background(), fullScale, *shims, os.Stderr)
			if err != nil {
				return err
			}
			return p.write(*to)
		}
	})
}
