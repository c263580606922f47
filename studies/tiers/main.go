// SPDX-License-Identifier: Apache-2.0

// Tiers measures the share of the prompt tokens of the Mooncake conversation trace that KV
// caches of growing size serve, with and without tiers below GPU memory. It writes
// docs/studies/tiers.md with a chart.
package main

import (
	"flag"
	"os"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/studies/study"
)

func main() {
	study.Main("tiers", func(flags *flag.FlagSet) func() error {
		page := flags.String("o", "../docs/studies/tiers.md", "the page, a `file`; the chart goes next to it, with the ending svg")
		return func() error {
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
	})
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
