// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/propose"
)

// deletionTimeout is for the deletion of a run whose rehearsal was interrupted.
const deletionTimeout = 10 * time.Second

// localFlags have no effect on a cluster.
var localFlags = []string{"configmap", "volume", "set", "speed", "program-limits", "log", "record", "recorded", "epp-config", "decisions", "ttft", "tpot", "shares"}

// isImage reports whether the EPP is named by an image with a tag or a digest, and not by a file.
func isImage(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, ":@")
}

// onCluster makes the run a live one on a cluster, prints what came of it, and deletes it.
func (o *rehearseOptions) onCluster(cmd *cobra.Command) (err error) {
	for _, name := range localFlags {
		if cmd.Flags().Changed(name) {
			return cli.BadInput(fmt.Errorf("leave out --%s: it has no effect on an EPP in a cluster", name))
		}
	}
	run, err := o.oneRun(cmd.InOrStdin())
	if err != nil {
		return err
	}
	c, err := o.cluster.Connect()
	if err != nil {
		return err
	}
	measure(run, o.binary, o.args)
	run.Namespace, run.GenerateName, run.Name = c.Namespace, run.Name+"-", ""
	run.APIVersion, run.Kind = v1alpha1.GroupVersion.String(), v1alpha1.SimulationRunKind
	if err := c.Create(cmd.Context(), kube.Runs, c.Namespace, run); err != nil {
		return fmt.Errorf("create the SimulationRun: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), deletionTimeout)
		defer cancel()
		err = errors.Join(err, c.Delete(ctx, kube.Runs, types.NamespacedName{Namespace: run.Namespace, Name: run.Name}))
	}()
	r, err := o.ofCluster(cmd, c, kubectl.Object{Run: run})
	if err != nil {
		return err
	}
	return r.print(cmd.OutOrStdout(), o.output)
}

// measure makes a run a live one of an image, with the flags that the manifest states, and more.
func measure(run *v1alpha1.SimulationRun, image string, args []string) {
	if run.Spec.Execution.Live == nil {
		run.Spec.Execution.Live = &v1alpha1.LiveExecution{}
	}
	live := run.Spec.Execution.Live
	live.Image, live.Args = image, append(live.Args, args...)
}

// oneRun is the SimulationRun of the manifests.
func (o *rehearseOptions) oneRun(stdin io.Reader) (*v1alpha1.SimulationRun, error) {
	files := &o.engine.scenario.local
	set, err := files.Load(stdin)
	if err != nil {
		return nil, err
	}
	var runs []local.Run
	err = local.ForEach(files, set, v1alpha1.SimulationRunKind, set.Runs, func(run *v1alpha1.SimulationRun) error {
		runs = append(runs, local.Run{SimulationRun: run})
		return nil
	})
	if err != nil {
		return nil, err
	}
	run, err := local.SingleRun(runs, "-f")
	return run.SimulationRun, err
}

// ofCluster waits for the end of a live run, and reads its comparison.
func (o *rehearseOptions) ofCluster(cmd *cobra.Command, c *cluster.Connection, run kubectl.Object) (*rehearsal, error) {
	told := ""
	ended, err := kubectl.Follow(cmd.Context(), c.Client, run, clock.RealClock{}, func(now kubectl.Object) {
		why := now.Why() // "" until the operator has seen the run
		if line := now.State() + ": " + why; why != "" && line != told {
			told = line
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", now.Title(), line)
		}
	})
	if err != nil {
		return nil, err
	}
	if ended.State() != v1alpha1.ReasonComplete {
		return nil, cli.BadInput(fmt.Errorf("%s: %s: %s", ended.Title(), ended.State(), ended.Why()))
	}
	stored, err := archive.Read(cmd.Context(), cluster.ConfigMaps(c.Client), v1alpha1.SimulationRunKind, ended.Run, ended.Run.Status.Results)
	if err != nil {
		return nil, err
	}
	for i := range stored.Chunks {
		if packed := stored.Chunks[i].Binary[store.RehearsalKey]; len(packed) > 0 {
			var r rehearsal
			_, err := propose.Unpack(packed, &r)
			r.Identity = cli.Identify(ended.Run.TypeMeta, ended.Run.ObjectMeta)
			return &r, err
		}
	}
	return nil, fmt.Errorf("%s: its results have no comparison: was it a live run?", ended.Title())
}
