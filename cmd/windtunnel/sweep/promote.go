// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// promoteClusterOptions are the flags of promote.
type promoteClusterOptions struct {
	cluster   cluster.Options
	promotion promoteOptions
}

// NewPromoteCommand is the verb promote.
func NewPromoteCommand() *cobra.Command {
	var o promoteClusterOptions
	cmd := &cobra.Command{
		Use:   "promote NAME [FILE]",
		Short: "Write the EPP configuration of the best point of a sweep in a cluster",
		Long: `Write the EPP configuration of the best point of a PolicySweep on a cluster to FILE, or to standard
output: your file with only the necessary changes, or the bundle if a parameter evolves. The
command fails if gates do not pass, unless spec.promote.when is Complete. It reads the results of
the sweep, writes nothing on the cluster and simulates nothing.

--promote-scaler NAME=FILE writes the manifest of a scaler in the same way.`,
		Example: `  windtunnel promote my-sweep epp.yaml -n experiments
  windtunnel promote my-sweep epp.yaml --promote-scaler llama=hpa.yaml
  windtunnel promote my-sweep | kubectl apply -f -`,
		Args: cluster.Args(cli.Arguments(1, 2, "needs the name of a PolicySweep, and may have a file"), "sweep --promote epp.yaml -f"),
		RunE: o.run,
	}
	o.cluster.Register(cmd)
	o.promotion.registerScalers(cmd.Flags())
	cmd.ValidArgsFunction = o.cluster.CompleteObjects(v1alpha1.PolicySweepKind, 1, true)
	return cmd
}

func (o *promoteClusterOptions) run(cmd *cobra.Command, args []string) error {
	o.promotion.stdout, o.promotion.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if len(args) == 2 {
		o.promotion.file = args[1]
	} else if len(o.promotion.scalers) == 0 {
		o.promotion.file = "-"
	}
	if err := o.promotion.readScalers(); err != nil {
		return err
	}
	files := map[string]string{"FILE": o.promotion.file}
	for _, m := range o.promotion.manifests {
		files["--promote-scaler "+m.scaler] = m.file
	}
	if err := cli.CheckFolders(files); err != nil {
		return err
	}
	c, object, err := o.cluster.Object(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	sweep, err := cluster.CheckSweep(object, "promote")
	if err != nil {
		return err
	}
	if !object.HasEnded() {
		return cli.BadInput(fmt.Errorf("%s is not complete: %s; next: %s", object.Title(), object.State(), o.cluster.Caller(cmd).Next(object)))
	}
	return o.promote(cmd.Context(), c.Client, object, sweep)
}

// promote writes what the results of a sweep say.
func (o *promoteClusterOptions) promote(ctx context.Context, c *kube.Client, object kubectl.Object, sweep *v1alpha1.PolicySweep) error {
	ready, st, err := cluster.Study(ctx, c, sweep)
	if err != nil {
		return err
	}
	verdict, err := st.Verdict()
	if err != nil {
		return err
	}
	if err := errors.Join(o.promotion.checkForm(ready), o.promotion.checkScalers(ready)); err != nil {
		return err
	}
	o.promotion.sayWhatIsLeft(ready.Plan)
	open := cli.CheckServed(object.Title(), st.Rows(), verdict)
	if err := o.promotion.promote(ready, st, open); err != nil {
		return fmt.Errorf("%s: %w", object.Title(), err)
	}
	if o.promotion.anyway {
		return nil
	}
	return open
}
