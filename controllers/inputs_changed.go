// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// inputChange is an input that is no longer what the plan was made of.
type inputChange struct {
	v1alpha1.InputDigest
	// now is its digest; empty where it was deleted.
	now string
}

// inputs finds out what the status is to say of the inputs, and which of them
// have changed since.
func (o *observer) inputs(ctx context.Context, w *observation) error {
	w.inputs.pinned = pins(w)
	for _, in := range w.inputs.pinned {
		now, err := o.digestNow(ctx, w.subject, in)
		if err != nil {
			return fmt.Errorf("look at input %s: %w", in.Name, err)
		}
		if now != in.SHA256 {
			w.inputs.changed = append(w.inputs.changed, inputChange{in, now})
		}
	}
	return nil
}

// pins are the inputs with the resource versions that they were read at.
func pins(w *observation) []v1alpha1.InputDigest {
	written := w.subject.status().Inputs
	if w.plan == nil {
		return written
	}
	var all []v1alpha1.InputDigest
	for _, in := range w.plan.Inputs {
		in.ResourceVersion = w.plan.versions[in.Name]
		for _, other := range written {
			if w.plan.versions == nil && other.Name == in.Name && other.SHA256 == in.SHA256 {
				in.ResourceVersion = other.ResourceVersion
			}
		}
		all = append(all, in)
	}
	return all
}

// digestNow returns the current digest of an input, or "" where it was deleted.
// A ConfigMap of the version that was pinned is not read, nor is any version read
// twice.
func (o *observer) digestNow(ctx context.Context, s subject, in v1alpha1.InputDigest) (string, error) {
	name, key, ok := experiment.ParseConfigMapInput(in.Name)
	if !ok {
		return in.SHA256, nil // a volume's, which its pods check
	}
	at := inputKey{client.ObjectKey{Namespace: s.object().GetNamespace(), Name: name}, key}
	seen := configMapMetadata()
	err := o.cache.Get(ctx, at.ObjectKey, seen)
	switch {
	case apierrors.IsNotFound(err) && settled(s):
		return "", nil
	case client.IgnoreNotFound(err) != nil:
		return "", err
	case err == nil && seen.ResourceVersion == in.ResourceVersion:
		return in.SHA256, nil
	case err == nil:
		if digest, known := o.inputDigests.get(at, seen.ResourceVersion); known {
			return digest, nil
		}
	}
	var cm corev1.ConfigMap
	if err := o.live.Get(ctx, at.ObjectKey, &cm); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	digest := ""
	raw, err := compile.ConfigMapKey(&cm, key)
	switch {
	case err == nil:
		digest = compile.TextDigest(raw)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	o.inputDigests.put(at, cm.ResourceVersion, digest)
	return digest, nil
}

// inputKey names a key of a ConfigMap.
type inputKey struct {
	client.ObjectKey
	key string
}

// maxContents bounds how many inputs a manager remembers.
const maxContents = 10_000

// inputDigests remembers the digests of inputs that changed. It may be called
// concurrently; nil remembers nothing.
type inputDigests struct {
	mu    sync.Mutex
	known map[inputKey]inputVersion
}

// inputVersion is what a version of a ConfigMap holds under a key.
type inputVersion struct{ version, digest string }

func newInputDigests() *inputDigests { return &inputDigests{known: map[inputKey]inputVersion{}} }

func (c *inputDigests) get(at inputKey, version string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.known[at]
	return known.digest, ok && known.version == version
}

func (c *inputDigests) put(at inputKey, version, digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxContents {
		clear(c.known)
	}
	c.known[at] = inputVersion{version, digest}
}

// setInputsChanged sets condition InputsChanged, and records one event of it.
func (d reporter) setInputsChanged(st *v1alpha1.CommonStatus) {
	if len(d.inputs.changed) == 0 {
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionInputsChanged)
		return
	}
	words := d.inputsChangedMessage()
	before := meta.FindStatusCondition(d.subject.status().Conditions, v1alpha1.ConditionInputsChanged)
	if before == nil || before.Message != printable.Clip(words, maxMessage) {
		d.decision.events = append(d.decision.events, recordedEvent{true, v1alpha1.ReasonInputsChanged, "Reconcile", words})
	}
	meta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type:               v1alpha1.ConditionInputsChanged,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: st.ObservedGeneration,
		LastTransitionTime: metav1.NewTime(d.now),
		Reason:             v1alpha1.ReasonInputsChanged,
		Message:            printable.Clip(words, maxMessage),
	})
}

// inputsChangedMessage says what changed, what that means, and what to do.
func (d reporter) inputsChangedMessage() string {
	var all []string
	means := "the results use the former content"
	traces := traceInputs(d.subject)
	for _, change := range d.inputs.changed {
		all = append(all, change.String())
		if slices.Contains(traces, change.Name) {
			means += ", and pods that start now reject another trace"
		}
	}
	return fmt.Sprintf("after generation %d was compiled, %s; %s; to use the new content, edit the spec or recreate the object",
		d.subject.object().GetGeneration(), joinFirst(all), means)
}

// traceInputs are the names of the inputs that are traces of the subject in ConfigMaps.
func traceInputs(s subject) []string {
	var workload v1alpha1.Workload
	switch s := s.(type) {
	case run:
		workload = s.Spec.Scenario.Workload
	case sweep:
		workload = s.Spec.Scenario.Workload
	}
	var names []string
	for _, ref := range experiment.TraceConfigMaps(&workload) {
		names = append(names, experiment.ConfigMapInput(ref.Name, ref.Key))
	}
	return names
}

// String describes the change.
func (c inputChange) String() string {
	name, key, _ := experiment.ParseConfigMapInput(c.Name)
	words := "ConfigMap " + name
	if key != "" {
		words += " key " + key
	}
	if c.now == "" {
		return words + " was deleted"
	}
	return fmt.Sprintf("%s changed: sha256 %s → %s", words, shortDigest(c.SHA256), shortDigest(c.now))
}

// shortDigest is as much of a digest as people compare.
func shortDigest(digest string) string { return digest[:min(12, len(digest))] }

// settled returns the subject, which is settled, with its conditions InputsChanged and
// ResultsDamaged up to date.
func (d reporter) settled() subject {
	next := d.subject.deepCopied()
	d.setInputsChanged(next.status())
	d.setResultsDamaged(next.status())
	return next
}
