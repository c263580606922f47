// SPDX-License-Identifier: Apache-2.0

// Fairness measures which protections keep one abusive tenant of ten from slowing the
// others down, for three kinds of abuse, and which signals tell the abuser from a tenant
// that is merely large. It writes docs/studies/fairness.md with a chart.
package main

import (
	"context"
	"flag"

	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("fairness", func(flags *flag.FlagSet) func() error {
		page := flags.String("o", "../docs/studies/fairness.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		from := flags.String("sample", "../config/samples/policysweep-fairness.yaml", "the `manifest` of the sweep over protections")
		return func() error {
			s, err := readSample(*from)
			if err != nil {
				return err
			}
			f, err := find(context.Background(), s, fullScale())
			if err != nil {
				return err
			}
			return f.write(*page)
		}
	})
}
