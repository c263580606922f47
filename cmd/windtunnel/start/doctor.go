// SPDX-License-Identifier: Apache-2.0

package start

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/doctor"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	cluster cluster.Options
	local   bool
	output  cli.Format
}

// NewDoctorCommand is the verb doctor.
func NewDoctorCommand() *cobra.Command {
	o := doctorOptions{output: cli.Table}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine or a cluster for problems",
		Long: `Check this machine or a cluster for problems. On the machine: the limits of memory and time
for the code in policy bundles. On the cluster of the kubeconfig: the custom resource
definitions, your permissions, the manager, the service account of the workers, network
policies, quotas, limits, webhooks that reject worker pods, and results of another engine version.

Each check is ok, warn or fail, with a reason and the command that fixes it. A check that cannot
read what it needs says so. The command changes nothing.

Exit codes: 0 no check failed, 1 a check failed.`,
		Example: `  windtunnel doctor
  windtunnel doctor -n experiments -o json
  windtunnel doctor --local`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.cluster.Register(cmd)
	cmd.Flags().BoolVar(&o.local, "local", false, "look at this machine only")
	cli.OutputFlag(cmd.Flags(), &o.output, cli.DocumentFormats, "")
	return cmd
}

var errDoctor = errors.New("a check failed")

func (o *doctorOptions) run(cmd *cobra.Command) error {
	if o.local {
		if err := o.cluster.Unused(); err != nil {
			return err
		}
	}
	release, _, _ := strings.Cut(cli.Version(), " ")
	machine := doctor.Machine{Version: release, Engine: simulator.EngineVersion, Unbounded: fence.Missing, TryFence: fence.New(1).Try}
	found := machine.Look(cmd.Context())
	if !o.local {
		found = append(found, o.lookAtCluster(cmd, release)...)
	}
	if err := o.print(cmd.OutOrStdout(), found); err != nil {
		return err
	}
	if doctor.Failed(found) {
		return cli.Reported(errDoctor)
	}
	return nil
}

// lookAtCluster checks the cluster of the kubeconfig.
func (o *doctorOptions) lookAtCluster(cmd *cobra.Command, release string) []doctor.Finding {
	c, err := o.cluster.Connect()
	if err != nil {
		return []doctor.Finding{{
			Check: "kubeconfig", Level: doctor.Fail, Message: fmt.Sprintf("%v; without a cluster, --local looks at this machine only", err), Mend: cmd.CommandPath() + " --local",
		}}
	}
	requests, limits := worker.Resources()
	return (&doctor.Cluster{
		Client: c.Client, Namespace: c.Namespace, Version: release, Engine: simulator.EngineVersion,
		WorkerName: worker.AccountName, WorkerLabels: worker.PodLabels(),
		WorkerRequests: requests, WorkerLimits: limits, Flags: o.cluster.Caller(cmd).Flags,
	}).Look(cmd.Context())
}

func (o *doctorOptions) print(w io.Writer, found []doctor.Finding) error {
	if o.output != cli.Table {
		return o.output.Write(w, found)
	}
	var text bytes.Buffer
	for _, f := range found {
		fmt.Fprintf(&text, "%-10s  %s: %s\n", f.Level, f.Check, f.Message)
		if f.Mend != "" {
			fmt.Fprintf(&text, "%12s%s\n", "", f.Mend)
		}
	}
	_, err := text.WriteTo(w)
	return err
}
