// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// proposeOptions are the flags of propose; the Job's pod template sets none of them.
type proposeOptions struct {
	plan        string
	round       string
	secret      string
	termination string
}

// NewProposeCommand is the verb propose.
func NewProposeCommand() *cobra.Command {
	var o proposeOptions
	cmd := &cobra.Command{
		Use:   "propose",
		Short: "Ask the proposer of a sweep for policies in a Job's pod",
		Long: `Ask the proposer of a sweep for policies inside a Job's pod, write its answers as a
ConfigMap and report the digest in the pod's termination message. The operator creates
such a Job before each round that has inquiries.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.plan, "plan", "/etc/windtunnel/plan", "folder of the plan")
	f.StringVar(&o.round, "round", "/etc/windtunnel/round", "folder of the round: the inquiries to make")
	f.StringVar(&o.secret, "secret", "/etc/windtunnel/secret", "folder of the Secret with the header Authorization")
	f.StringVar(&o.termination, "termination-log", "/dev/termination-log", "file of the termination message")
	return cmd
}

func (o proposeOptions) run(ctx context.Context) error {
	creator, err := podCluster()
	if err != nil {
		return err
	}
	report, err := worker.Propose(ctx, worker.ProposeOptions{PlanFolder: o.plan, RoundFolder: o.round, SecretFolder: o.secret, Wait: cli.Wait}, creator)
	return reportTo(o.termination, report, err)
}
