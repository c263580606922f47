// SPDX-License-Identifier: Apache-2.0

// Autoscaling compares policies of scalers under the load of a day and under a burst, on
// pools that do both phases and on prefill and decode apart, with replicas that take from 30
// seconds to 10 minutes to start. It writes docs/studies/autoscaling-study.md with two charts.
package main

import (
	"context"
	"flag"
	"os"

	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("autoscaling", func(flags *flag.FlagSet) func() error {
		page := flags.String("o", "../docs/studies/autoscaling-study.md", "the page, a `file`; the charts go next to it")
		return func() error {
			f, err := find(context.Background(), fullScale(), os.Stderr)
			if err != nil {
				return err
			}
			return f.write(*page)
		}
	})
}
