// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// reflect prints the summary that run --reflect -o json has found, as another strategy tells
// it. What else is stored has figures of all requests and decisions on a few: no rule finds
// anything in that.
func (o *reportOptions) reflect(cmd *cobra.Command, of string) error {
	if err := o.reflected.Check(); err != nil {
		return err
	}
	file, err := o.isFile(of)
	switch {
	case err != nil:
		return err
	case !file:
		return o.cannotReflectObject(cmd, of)
	}
	raw, err := input.Read(of)
	if err != nil {
		return cli.BadInput(err)
	}
	var r run.Reflection
	if err := json.Unmarshal(raw, &r); err != nil || r.Report == nil {
		return o.cannotReflect(of, "windtunnel run -f MANIFEST --reflect "+o.reflected.Strategy)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), insight.Summarize(r.Report, insight.SummaryOptions{
		Strategy: insight.Strategy(o.reflected.Strategy), MaxTokens: o.reflected.MaxTokens,
	}))
	return err
}

// cannotReflectObject names the command for an object of a cluster.
func (o *reportOptions) cannotReflectObject(cmd *cobra.Command, of string) error {
	kind, name, err := kubectl.ParseRef(of)
	if err != nil {
		return err
	}
	if kind == v1alpha1.PolicySweepKind {
		return cli.BadInput(fmt.Errorf("--reflect is about one simulation of a SimulationRun, and %s is a PolicySweep", of))
	}
	namespace, _, err := o.cluster.Loader().Namespace()
	if err != nil {
		return cli.BadInput(fmt.Errorf("find the cluster: %w", err))
	}
	run := kubectl.Object{Run: &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}}
	again, _ := o.cluster.Caller(cmd).Here(run, "--reflect "+o.reflected.Strategy) // without a status there are no inputs
	return o.cannotReflect(of, again)
}

// cannotReflect says which command has what the summary needs.
func (o *reportOptions) cannotReflect(of, again string) error {
	return cli.BadInput(fmt.Errorf("--reflect needs all requests of a simulation, which %s does not have: %s simulates a seed again", of, again))
}
