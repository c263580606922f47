// SPDX-License-Identifier: Apache-2.0

package local

import (
	"cmp"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
)

// WithPicker gives a run the EPP configuration of a file; - is standard input.
func WithPicker(run *v1alpha1.SimulationRun, name string, stdin io.Reader) error {
	raw, err := input.ReadOr(stdin, name)
	if err != nil {
		return cli.BadInput(err)
	}
	if len(run.Spec.Scenario.Routers) > 0 {
		return cli.BadInput(fmt.Errorf("%s has routers of several models: an EPP configuration replaces the only router of a run, so change the run instead", run.Name))
	}
	text, router := string(raw), &run.Spec.Scenario.Router
	router.Policies = nil
	version := cmp.Or(router.EndpointPickerConfig.Version, "auto")
	router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: version, Inline: &text}
	return nil
}
