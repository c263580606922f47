// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/fence"
)

// Fence is what runs code in policy bundles; nil where the user trusts it.
func (o *Options) Fence() execute.Fence {
	if o.Trusted {
		return nil
	}
	return fence.New(o.Parallelism)
}

// FenceWarnings say what does not bound the code of a plan on this machine.
func (o *Options) FenceWarnings(p *experiment.Plan) []string {
	if fence.Missing == "" || o.Trusted || !execute.Foreign(p) {
		return nil
	}
	return []string{fence.Missing}
}

// ToTrust says how to look into such a simulation nevertheless.
func ToTrust(err error) error {
	return cli.BadInput(fmt.Errorf("%w; if you trust the code, run it in this process: --trust-programs", err))
}
