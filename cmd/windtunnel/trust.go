// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/fence"
)

// fence is what runs code in policy bundles; nil where the user trusts it.
func (o *localOptions) fence() execute.Fence {
	if o.trusted {
		return nil
	}
	return fence.New(o.parallelism)
}

// fenceWarnings say what does not bound the code of a plan on this machine.
func (o *localOptions) fenceWarnings(p *experiment.Plan) []string {
	if fence.Missing == "" || o.trusted || !execute.Foreign(p) {
		return nil
	}
	return []string{fence.Missing}
}

// toTrust says how to look into such a simulation nevertheless.
func toTrust(err error) error {
	return cli.BadInput(fmt.Errorf("%w; if you trust the code, run it in this process: --trust-programs", err))
}
