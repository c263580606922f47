// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// An Object is a run or a sweep of a cluster: one of the two fields is set.
type Object struct {
	Sweep *v1alpha1.PolicySweep
	Run   *v1alpha1.SimulationRun
}

// Meta is the object's metadata.
func (o Object) Meta() *metav1.ObjectMeta {
	if o.Sweep != nil {
		return &o.Sweep.ObjectMeta
	}
	return &o.Run.ObjectMeta
}

// object is what both kinds are for clients.
func (o Object) object() runtime.Object {
	if o.Sweep != nil {
		return o.Sweep
	}
	return o.Run
}

// resource is that of the kind.
func (o Object) resource() schema.GroupVersionResource {
	if o.Sweep != nil {
		return kube.Sweeps
	}
	return kube.Runs
}

func (o Object) key() types.NamespacedName {
	return types.NamespacedName{Namespace: o.Meta().Namespace, Name: o.Meta().Name}
}

// copy is an object that may be read into.
func (o Object) copy() Object { return Object{Sweep: o.Sweep.DeepCopy(), Run: o.Run.DeepCopy()} }

// Status is what both kinds report.
func (o Object) Status() *v1alpha1.CommonStatus {
	if o.Sweep != nil {
		return &o.Sweep.Status.CommonStatus
	}
	return &o.Run.Status.CommonStatus
}

// Kind is the object's kind.
func (o Object) Kind() string {
	if o.Sweep != nil {
		return v1alpha1.PolicySweepKind
	}
	return v1alpha1.SimulationRunKind
}

// Ref is TYPE/NAME, as kubectl takes it.
func (o Object) Ref() string { return strings.ToLower(o.Kind()) + "/" + o.Meta().Name }

// Title names the object in messages.
func (o Object) Title() string {
	return fmt.Sprintf("%s %s/%s", o.Kind(), o.Meta().Namespace, o.Meta().Name)
}

// Standing is what the status says about the present spec.
func (o Object) Standing() Standing { return Standing{o.Meta().Generation, o.Status()} }

func (o Object) condition(typ string) *metav1.Condition { return o.Standing().condition(typ) }

func (o Object) is(typ string) bool { return o.Standing().is(typ) }

// IsStale is that of the [Standing].
func (o Object) IsStale() bool { return o.Standing().IsStale() }

// HasEnded is that of the [Standing].
func (o Object) HasEnded() bool { return o.Standing().HasEnded() }

// State is that of the [Standing].
func (o Object) State() string { return o.Standing().State() }

// Outcome is that of the [Standing].
func (o Object) Outcome() verdict.Outcome { return o.Standing().Outcome() }

// OutcomeWord is the outcome in a word; "" where there are no gates, or no results.
func (o Object) OutcomeWord() string {
	if o.Outcome() == "" {
		return ""
	}
	return o.Outcome().Word()
}

// ErrNotInstalled says that a cluster does not know the kinds.
var ErrNotInstalled = archive.NewFault(errors.New("the cluster does not know the kinds of Windtunnel: install them first, as docs/install.md says"))

// isUnknownKind reports whether a server does not know a kind, rather than an object.
func isUnknownKind(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && slices.ContainsFunc(details.Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeUnexpectedServerResponse })
}

func listError(kinds string, err error) error {
	if isUnknownKind(err) {
		return ErrNotInstalled
	}
	return fmt.Errorf("list %s: %w", kinds, err)
}

// List returns the runs and sweeps of a namespace, or of all for "".
func List(ctx context.Context, c *kube.Client, namespace string) ([]Object, error) {
	var sweeps v1alpha1.PolicySweepList
	if err := c.List(ctx, kube.Sweeps, namespace, metav1.ListOptions{}, &sweeps); err != nil {
		return nil, listError("PolicySweeps", err)
	}
	var runs v1alpha1.SimulationRunList
	if err := c.List(ctx, kube.Runs, namespace, metav1.ListOptions{}, &runs); err != nil {
		return nil, listError("SimulationRuns", err)
	}
	all := make([]Object, 0, len(sweeps.Items)+len(runs.Items))
	for i := range sweeps.Items {
		all = append(all, Object{Sweep: &sweeps.Items[i]})
	}
	for i := range runs.Items {
		all = append(all, Object{Run: &runs.Items[i]})
	}
	return all, nil
}

// Find returns the object of a kind and name. Without a kind it looks for a sweep and for
// a run, of which there must be one.
func Find(ctx context.Context, c *kube.Client, kind string, key types.NamespacedName) (Object, error) {
	var found []Object
	for _, o := range []Object{{Sweep: &v1alpha1.PolicySweep{}}, {Run: &v1alpha1.SimulationRun{}}} {
		if kind != "" && kind != o.Kind() {
			continue
		}
		switch err := c.Get(ctx, o.resource(), key, o.object()); {
		case isUnknownKind(err):
			return Object{}, ErrNotInstalled
		case apierrors.IsNotFound(err):
		case err != nil:
			return Object{}, fmt.Errorf("read %s %s/%s: %w", o.Kind(), key.Namespace, key.Name, err)
		default:
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 2:
		return Object{}, archive.NewFault(fmt.Errorf("there are a PolicySweep and a SimulationRun %s in namespace %s: write policysweep/%[1]s or simulationrun/%[1]s", key.Name, key.Namespace))
	}
	if kind == "" {
		kind = v1alpha1.PolicySweepKind + " or " + v1alpha1.SimulationRunKind
	}
	return Object{}, archive.NewFault(fmt.Errorf("there is no %s %s in namespace %s", kind, key.Name, key.Namespace))
}

// sweepWords and runWords are the names of the kinds that kubectl knows, too.
var (
	sweepWords = []string{"policysweep", "policysweeps", "sweep", "sweeps"}
	runWords   = []string{"simulationrun", "simulationruns", "simrun", "simruns"}
)

// ParseRef splits TYPE/NAME, as kubectl writes it; the kind is "" without a type.
func ParseRef(arg string) (kind, name string, err error) {
	typ, name, typed := strings.Cut(arg, "/")
	switch {
	case !typed:
		return "", arg, nil
	case slices.Contains(sweepWords, typ):
		return v1alpha1.PolicySweepKind, name, nil
	case slices.Contains(runWords, typ):
		return v1alpha1.SimulationRunKind, name, nil
	}
	return "", "", archive.NewFault(fmt.Errorf("%s: the type must be policysweep or simulationrun", arg))
}
