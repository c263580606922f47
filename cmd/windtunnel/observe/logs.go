// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// logsOptions are the flags of logs.
type logsOptions struct {
	cluster cluster.Options
	follow  bool
	tail    int64
}

// NewLogsCommand is the verb logs.
func NewLogsCommand() *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs NAME | TYPE/NAME",
		Short: "Print the log of the failed shard of a run or a sweep",
		Long: `Print the log of the newest pod that failed for a PolicySweep or a SimulationRun, or of the newest
pod if none failed. The pod of a shard is deleted with its Job when the work ends with
success; what came of the work is in the conditions of the object.`,
		Example: `  windtunnel logs my-sweep -n experiments
  windtunnel logs simulationrun/my-run --follow`,
		Args: cluster.OneObject,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	o.cluster.Register(cmd)
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "print what the pod logs until it ends")
	cmd.Flags().Int64Var(&o.tail, "tail", -1, "number of lines to print, from the end; -1 prints all")
	cmd.ValidArgsFunction = o.cluster.CompleteObjects("", 1, false)
	return cmd
}

func (o *logsOptions) run(cmd *cobra.Command, name string) error {
	if o.tail < -1 {
		return cli.BadInput(errors.New("--tail must be at least -1"))
	}
	c, object, err := o.cluster.Object(cmd.Context(), name)
	if err != nil {
		return err
	}
	pod, err := kubectl.FindShardPod(cmd.Context(), c.Client, object, worker.Labels(object.Kind(), object.Meta().Name))
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s, %s\n", object.Title(), pod)
	return o.print(cmd, c, pod)
}

// print copies the log of a pod.
func (o *logsOptions) print(cmd *cobra.Command, c *cluster.Connection, pod *kubectl.ShardPod) error {
	parameters := map[string]string{"container": worker.Container}
	if o.follow {
		parameters["follow"] = "true"
	}
	if pod.Previous {
		parameters["previous"] = "true"
	}
	if o.tail >= 0 {
		parameters["tailLines"] = strconv.FormatInt(o.tail, 10)
	}
	log, err := c.Logs(cmd.Context(), types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, parameters)
	if err != nil {
		return fmt.Errorf("read the log of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	defer log.Close()
	_, err = io.Copy(cmd.OutOrStdout(), log)
	return err
}
