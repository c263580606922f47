// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	insight "windtunnel.dev/windtunnel/pkg/trace"
)

// reflect prints the summary that run --reflect -o json has found, as another strategy tells
// it. What else is stored has figures of all requests and decisions on a few: no rule finds
// anything in that.
func (o *reportOptions) reflect(of string, stdout io.Writer) error {
	if err := o.reflected.check(); err != nil {
		return err
	}
	raw, err := os.ReadFile(of)
	if err != nil {
		return o.cannotReflect(of, fmt.Sprintf("kubectl get simulationrun %s -o yaml | windtunnel run -f -", of))
	}
	var r reflection
	if err := json.Unmarshal(raw, &r); err != nil || r.Report == nil {
		return o.cannotReflect(of, "windtunnel run -f MANIFEST")
	}
	_, err = io.WriteString(stdout, insight.Summarize(r.Report, insight.SummaryOptions{
		Strategy: insight.Strategy(o.reflected.strategy), MaxTokens: o.reflected.maxTokens,
	}))
	return err
}

// cannotReflect says which command has what the summary needs.
func (o *reportOptions) cannotReflect(of, run string) error {
	return badInputError{fmt.Errorf("--reflect needs all requests of a simulation, which %s does not have: %s --reflect %s simulates a seed again", of, run, o.reflected.strategy)}
}
