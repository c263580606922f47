// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// whyOptions are the flags of explain.
type whyOptions struct {
	cluster cluster.Options
	seed    int64
	by      string
	output  cli.Format
}

// NewExplainCommand is the verb explain.
func NewExplainCommand() *cobra.Command {
	o := whyOptions{output: cli.Table}
	cmd := &cobra.Command{
		Use:   "explain NAME | TYPE/NAME [REQUEST]",
		Short: "Explain the verdict of a run or a sweep in a cluster, or the routing of a request",
		Long: `Explain the verdict of a PolicySweep or a SimulationRun in a cluster: its state, each gate with its
figures, what would decide a gate that lacks evidence, what the figures do not show (such as
traffic that ends before the horizon), and the requests that did worst by the metric of the first
gate that does not pass.

REQUEST is the number of a request, from 0 in order of arrival, or rejected for the first rejected
one. With it the command prints how the router decided, as run --explain does. For a sweep, the
requests are those of the run that follows the point under the gates (spec.follow).

The command reads stored decisions (spec.trace.level Decisions) and simulates nothing. If none are
stored, it names the command that stores them.`,
		Example: `  windtunnel explain my-sweep -n experiments
  windtunnel explain simulationrun/my-sweep-best-1 --by tpot
  windtunnel explain simulationrun/my-sweep-best-1 17 --seed 42`,
		Args: cluster.Args(cli.Arguments(1, 2, "needs the name of a PolicySweep or a SimulationRun, and may have the number of a request"), "report"),
		RunE: o.run,
	}
	o.cluster.Register(cmd)
	f := cmd.Flags()
	f.Int64Var(&o.seed, "seed", -1, "seed of the request (default the first one with stored decisions)")
	f.StringVar(&o.by, "by", "", "order of the worst requests: "+cli.OneOf(execute.Complaints)+" (default by the first gate that does not pass)")
	cli.OutputFlag(f, &o.output, cli.DocumentFormats, ", for a request")
	cmd.ValidArgsFunction = o.cluster.CompleteObjects("", 1, false)
	return cmd
}

func (o *whyOptions) run(cmd *cobra.Command, args []string) error {
	switch {
	case o.by != "" && !slices.Contains(execute.Complaints, execute.Complaint(o.by)):
		return cli.BadInput(fmt.Errorf("--by %s: must be %s", o.by, cli.OneOf(execute.Complaints)))
	case len(args) == 1 && (o.output != cli.Table || o.seed >= 0):
		return cli.BadInput(errors.New("--output and --seed need the number of a request"))
	}
	asked := run.ExplainOptions{Request: run.FirstRejected}
	if len(args) == 2 {
		asked.Request = args[1]
	}
	request, err := asked.Number()
	if err != nil {
		return err
	}
	c, object, err := o.cluster.Object(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if len(args) == 2 {
		return o.request(cmd, c, object, args[1], request)
	}
	return o.verdict(cmd, c, object)
}

// verdict says why an object has its verdict, and which of its requests did worst.
func (o *whyOptions) verdict(cmd *cobra.Command, c *cluster.Connection, object kubectl.Object) error {
	w, caller := cmd.OutOrStdout(), o.cluster.Caller(cmd)
	kubectl.WriteVerdict(w, object)
	if !object.HasEnded() || object.Status().Results == nil {
		if next := caller.Next(object); next != "" && !strings.Contains(next, " explain ") {
			fmt.Fprintf(w, "\nnext: %s\n", next)
		}
		return nil
	}
	run, err := o.runOf(cmd, c, object)
	var none noFollower
	switch {
	case errors.As(err, &none):
		_, err := fmt.Fprintf(w, "\n%s\n", none.words)
		return err
	case err != nil:
		return err
	case !run.HasEnded():
		_, err := fmt.Fprintf(w, "\n%s simulates the point again with the decisions on its requests: %s\nnext: %s\n", run.Ref(), run.State(), caller.Command("watch", run, ""))
		return err
	}
	kept, err := storedResults(cmd.Context(), c.Client, run)
	if err != nil {
		return err
	}
	writeFindings(w, kept)
	stored, err := decisionsIn(kept, run)
	if err != nil {
		return err
	}
	if len(stored.Decisions) == 0 {
		_, err := fmt.Fprintf(w, "\n%s\n", caller.NothingStored(run, ""))
		return err
	}
	by := object.Complaint()
	if o.by != "" {
		by = execute.Complaint(o.by)
	}
	caller.WriteWorst(w, run, stored, by)
	return nil
}

// noFollower says that no run follows a sweep, and how to have one.
type noFollower struct{ words string }

func (e noFollower) Error() string { return e.words }

// runOf is the run whose requests explain an object: itself, or the one that follows a sweep.
func (o *whyOptions) runOf(cmd *cobra.Command, c *cluster.Connection, object kubectl.Object) (kubectl.Object, error) {
	if object.Run != nil {
		return object, nil
	}
	name, best := object.Follower()
	caller := o.cluster.Caller(cmd)
	if name == "" {
		return object, noFollower{caller.NoFollower(object, best)}
	}
	key := types.NamespacedName{Namespace: object.Meta().Namespace, Name: name}
	return kubectl.Find(cmd.Context(), c.Client, v1alpha1.SimulationRunKind, key)
}

// request prints the stored decision on a request.
func (o *whyOptions) request(cmd *cobra.Command, c *cluster.Connection, object kubectl.Object, written string, number int) error {
	run, err := o.runOf(cmd, c, object)
	var none noFollower
	if errors.As(err, &none) {
		return cli.BadInput(err)
	}
	if err != nil {
		return err
	}
	kept, err := storedResults(cmd.Context(), c.Client, run)
	if err != nil {
		return err
	}
	stored, err := decisionsIn(kept, run)
	if err != nil {
		return err
	}
	seed := o.seed
	if seeds := stored.Seeds(); seed < 0 && len(seeds) > 0 {
		seed = seeds[0]
	}
	if number == execute.FirstRejected {
		if first, ok := stored.FirstTurnedAway(seed); ok {
			number = first
		}
	}
	story := stored.Story(seed, number)
	if story == nil {
		more := written
		if o.seed >= 0 {
			more += fmt.Sprintf(" --seed %d", o.seed)
		}
		return cli.BadInput(errors.New(o.cluster.Caller(cmd).NothingStored(run, more)))
	}
	return o.print(cmd.OutOrStdout(), run, story)
}

// print prints a story as run --explain does.
func (o *whyOptions) print(w io.Writer, of kubectl.Object, story *execute.RequestStory) error {
	if o.output == cli.Table {
		fmt.Fprintf(w, "SimulationRun %s\n\n", of.Meta().Name)
		return story.Table(w)
	}
	raw, err := json.Marshal(story)
	if err != nil {
		return err
	}
	kind := schema.GroupVersionKind{Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Kind: v1alpha1.SimulationRunKind}
	typ := of.Run.TypeMeta
	typ.SetGroupVersionKind(kind)
	return o.output.Write(w, run.ToldOutput{Identity: cli.Identify(typ, of.Run.ObjectMeta), Story: raw})
}

// writeFindings says what the figures of a run do not show, with what to do. The verdict stands
// without them.
func writeFindings(w io.Writer, kept *archive.Stored) {
	findings, err := kept.Findings()
	if err != nil {
		fmt.Fprintf(w, "\nThe findings of the run cannot be read: %v.\n", err)
	}
	for _, f := range findings {
		fmt.Fprintf(w, "\nfinding: %s\n", f)
	}
}

// storedResults are what a cluster keeps of a run; nothing where it has no results.
func storedResults(ctx context.Context, c *kube.Client, run kubectl.Object) (*archive.Stored, error) {
	results := run.Status().Results
	if results == nil {
		return &archive.Stored{}, nil
	}
	return archive.Read(ctx, cluster.ConfigMaps(c), v1alpha1.SimulationRunKind, run.Run, results)
}

// decisionsIn reads the decisions that the results of a run hold.
func decisionsIn(kept *archive.Stored, run kubectl.Object) (*execute.Stored, error) {
	stored := &execute.Stored{}
	for _, packed := range kept.Decisions() {
		if err := stored.Add(packed); err != nil {
			return nil, archive.NewFault(fmt.Errorf("%s: %w", run.Title(), err))
		}
	}
	return stored, nil
}
