// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/verdict"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// reportKey is the key of the report next to a promoted configuration.
const reportKey = "report.md"

// maxName is how long an object's name can be.
const maxName = 253

// promotedName names the ConfigMap of what a sweep promotes, followedName the run
// that follows its i-th best point.
func promotedName(sweep string) string {
	return worker.Shorten(sweep, sweep, maxName-len("-promoted")) + "-promoted"
}

func followedName(sweep string, i int) string {
	return fmt.Sprintf("%s-best-%d", worker.Shorten(sweep, sweep, maxName-len("-best-10")), i+1)
}

// needsSpecFiles reports whether the subject promotes or follows points: that needs the
// files of its spec, which an encoded plan does not hold.
func needsSpecFiles(s subject) bool {
	sw, ok := s.(sweep)
	return ok && (sw.Spec.Promote != nil || sw.Spec.Follow != nil)
}

// hasRollout reports whether a status names what came of such files.
func hasRollout(s subject) bool {
	sw, ok := s.(sweep)
	return ok && (sw.Status.Promoted != "" || len(sw.Status.Followed) > 0)
}

// readPublished reads the children that a complete subject publishes.
func (o *observer) readPublished(ctx context.Context, w *observation) error {
	sw, ok := w.subject.(sweep)
	if !ok {
		return nil
	}
	if sw.Spec.Promote != nil {
		if err := o.missingChild(ctx, w, promotedName(sw.Name)); err != nil {
			return err
		}
	}
	return o.followers(ctx, w, sw)
}

// followers looks for the runs that follow the best points: those that the cache
// knows, and those that are wanted.
func (o *observer) followers(ctx context.Context, w *observation, sw sweep) error {
	var runs v1alpha1.SimulationRunList
	err := o.cache.List(ctx, &runs, client.InNamespace(sw.Namespace), client.MatchingFields{indexOwner: string(sw.UID)})
	if err != nil {
		return fmt.Errorf("list SimulationRuns: %w", err)
	}
	known := map[string]bool{}
	for i := range runs.Items {
		known[runs.Items[i].Name] = true
		w.children.followers = append(w.children.followers, &runs.Items[i])
	}
	wanted := 0
	if sw.Spec.Follow != nil {
		wanted = int(sw.Spec.Follow.Best)
	}
	for i := range max(wanted, len(sw.Status.Followed)) {
		name := followedName(sw.Name, i)
		if known[name] {
			continue
		}
		var run v1alpha1.SimulationRun
		found, err := o.child(ctx, w, name, &run)
		if err != nil {
			return err
		}
		if found {
			w.children.followers = append(w.children.followers, &run)
		}
	}
	slices.SortFunc(w.children.followers, func(a, b *v1alpha1.SimulationRun) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// publisher decides on what a complete sweep leaves to be used: the promoted
// configuration, and the runs that follow the best points.
type publisher struct{ *draft }

// publish creates what the spec wants of a complete sweep with a verdict on its gates. What
// cannot be created is a remark in the message; the results stay valid.
func (d publisher) publish(next sweep, gates *study.Judged) (remark string, err error) {
	if remark, err = d.promote(next, gates); err != nil {
		return "", err
	}
	return remark, d.updateFollowers(next)
}

// promote has the best point's configuration written out. It says why that is not
// done.
func (d publisher) promote(next sweep, gates *study.Judged) (words string, err error) {
	wanted := next.Spec.Promote
	switch {
	case wanted == nil:
		return "", nil
	case gates != nil && gates.Reason == verdict.BaselineIsBest:
		return "nothing is promoted: " + gates.Message, nil
	case wanted.When != v1alpha1.PromoteWhenComplete && (gates == nil || gates.Outcome != verdict.Pass):
		return "no point is promoted because not all gates pass", nil
	}
	st := d.results.study.study
	out, err := newRollOut(st, wanted.Format)
	if err != nil {
		return fmt.Sprintf("nothing is promoted: %v", err), nil
	}
	data, err := out.files()
	if err != nil {
		return fmt.Sprintf("nothing is promoted: %v", err), nil
	}
	report, ok, err := advice.NewReport(st, fmt.Sprintf("PolicySweep %s", next.Name), advice.ReportedTop, out.RollOut)
	if err != nil {
		return "", err
	}
	if !ok {
		return "no point is promoted: no point has all of its results", nil
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		return "", err
	}
	cm := makeConfigMap(d.subject, d.plan, ComponentPromoted, promotedName(next.Name))
	data[reportKey] = text.String()
	cm.Data = data
	cm.Labels[LabelContent] = digestOf(cm.Data)
	cm.Annotations = out.lineage()
	next.Status.Promoted, next.Status.PromotedSHA256 = cm.Name, dataDigest(cm.Data)
	for i := range d.children.configMaps {
		switch there := &d.children.configMaps[i]; {
		case there.Name != cm.Name:
		case there.DeletionTimestamp != nil:
			d.awaitDeletion(there)
			return "", nil
		case there.Labels[LabelContent] == cm.Labels[LabelContent]:
			return "", nil
		default:
			d.act(action{verbDelete, there, "another configuration is promoted"})
			if len(there.Finalizers) > 0 {
				d.awaitDeletion(there)
				return "", nil
			}
		}
	}
	d.act(action{verbCreate, cm, "it holds the configuration to roll out, and the report"})
	return "", nil
}

// dataDigest is the digest of the data of a ConfigMap.
func dataDigest(data map[string]string) string {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("controllers: marshal the data of a ConfigMap: %v", err))
	}
	return experiment.Digest(raw)
}

// rollOut is what is to be written of a point.
type rollOut struct{ advice.RollOut }

// newRollOut makes the texts of the point to roll out. A sweep whose routers have no EPP
// configuration rolls out the manifests that it varies.
func newRollOut(st *study.Study, format v1alpha1.PromotionFormat) (rollOut, error) {
	var r rollOut
	var err error
	if st.Plan.Evolving() != nil {
		if r.Bundle, err = advice.PromoteBundle(st); err != nil {
			return rollOut{}, err
		}
	} else if len(st.Plan.Pickers) > 0 || len(advice.VariedManifests(st.Plan)) == 0 {
		if r.Picker, err = advice.Promote(st, format); err != nil {
			return rollOut{}, err
		}
	}
	r.Manifests, err = advice.PromoteVaried(st)
	return r, err
}

// files are the texts by their keys.
func (r rollOut) files() (map[string]string, error) {
	data := map[string]string{}
	if r.Picker != nil {
		data[r.Picker.Name] = r.Picker.Text
	}
	if r.Bundle != nil {
		data[advice.BundleName] = r.Bundle.Text
	}
	for _, m := range r.Manifests {
		key := scalerKey(m.Name)
		if _, taken := data[key]; taken {
			return nil, fmt.Errorf("the EPP configuration has the key %s, which is that of the manifest %s: give the configuration another key", key, m.Name)
		}
		data[key] = m.Text
	}
	return data, nil
}

// lineage are annotations that say where a policy that evolved comes from: its name, its
// generation, its parent and the changes of each step.
func (r rollOut) lineage() map[string]string {
	if r.Bundle == nil {
		return nil
	}
	own := r.Bundle.Line[len(r.Bundle.Line)-1]
	changes := r.Bundle.Changes()
	for i := range changes {
		changes[i] = printable.Line(changes[i])
	}
	return map[string]string{
		AnnotationPolicy: own.Policy, AnnotationGeneration: strconv.Itoa(own.Generation), AnnotationParent: own.Parent,
		AnnotationLineage: clip.Text(strings.Join(changes, "\n"), maxLineageBytes),
	}
}

// maxLineageBytes bounds the annotation with the steps of a policy.
const maxLineageBytes = 16 << 10

// scalerKey is the key of a manifest, by its name, next to a promoted configuration.
func scalerKey(name string) string { return "scaler-" + name + ".yaml" }

// awaitDeletion has the subject wait for the deletion of a child whose name another child
// takes.
func (d publisher) awaitDeletion(child client.Object) {
	words := fmt.Sprintf("%s %s is being deleted", kindOf(child), child.GetName())
	if holders := child.GetFinalizers(); len(holders) > 0 {
		words += fmt.Sprintf(" and waits for its finalizers: %s", joinFirst(holders))
	}
	d.awaited = append(d.awaited, words)
}

// updateFollowers creates and deletes the runs that simulate the best points again, with
// traces.
func (d publisher) updateFollowers(next sweep) error {
	var runs []*v1alpha1.SimulationRun
	if wanted := next.Spec.Follow; wanted != nil {
		var err error
		if runs, err = d.makeFollowers(next, int(wanted.Best)); err != nil {
			return err
		}
	}
	there := map[string]*v1alpha1.SimulationRun{}
	for _, run := range d.observation.children.followers {
		there[run.Name] = run
	}
	for _, run := range runs {
		next.Status.Followed = append(next.Status.Followed, run.Name)
		old := there[run.Name]
		delete(there, run.Name)
		if old != nil && old.DeletionTimestamp == nil {
			if old.Labels[LabelContent] == run.Labels[LabelContent] {
				continue
			}
			d.act(action{verbDelete, old, "another point has its rank"})
		}
		if old != nil && (old.DeletionTimestamp != nil || len(old.Finalizers) > 0) {
			d.awaitDeletion(old)
			continue
		}
		d.act(action{verbCreate, run, "it simulates one of the best points again, with traces"})
	}
	for _, run := range d.observation.children.followers {
		if there[run.Name] != nil && run.DeletionTimestamp == nil {
			// Before the status: afterwards nothing would refer to it.
			d.act(action{verbDelete, run, "its point is no longer followed"})
		}
	}
	return nil
}

// makeFollowers makes the runs of the best points.
func (d publisher) makeFollowers(s sweep, best int) ([]*v1alpha1.SimulationRun, error) {
	board, err := d.results.study.study.Top(best)
	if err != nil {
		return nil, err
	}
	var runs []*v1alpha1.SimulationRun
	for i := range min(best, len(board.Candidates)) {
		if !board.Candidates[i].Complete() {
			break
		}
		spec, err := advice.FollowUpRun(d.results.study.study, &s.Spec, board.Candidates[i].Point)
		if err != nil {
			return nil, fmt.Errorf("follow point %d: %w", board.Candidates[i].Point, err)
		}
		labels := childLabels(s, ComponentFollower, d.plan.hash)
		labels[LabelContent] = digestOf(spec)
		runs = append(runs, &v1alpha1.SimulationRun{
			TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SimulationRunKind},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: s.Namespace, Name: followedName(s.Name, i), Labels: labels,
				OwnerReferences: []metav1.OwnerReference{ownerReference(s)},
			},
			Spec: spec,
		})
	}
	return runs, nil
}
