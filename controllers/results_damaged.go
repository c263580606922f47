// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// ConfigMaps of results are immutable, so that their bytes change only where they
// are deleted and created again. The metadata in the cache shows that: only then are
// results read again, and an untouched object costs no request.

const (
	// creationSlack is how much later than the end of the work its index may be created:
	// the end bears the manager's time of before the write, the index the API server's.
	creationSlack = 10 * time.Second
	// damageInterval is how often damaged results are read again: no watch reports that a
	// ConfigMap was restored.
	damageInterval = time.Minute
)

// readDamaged reads the results of a complete subject again, where they were touched.
func (o *observer) readDamaged(ctx context.Context, w *observation) error {
	st := w.subject.status()
	if !isTrue(st, v1alpha1.ConditionComplete) || st.Results == nil {
		return nil
	}
	if !isTrue(st, v1alpha1.ConditionResultsDamaged) && !w.resultsTouched() {
		return nil
	}
	own := resultReader{reader: o.live, namespace: w.subject.object().GetNamespace(), owner: w.subject}
	index, f, err := own.index(ctx, st.Results.Index, st.Results.SHA256)
	if err != nil {
		return err
	}
	if f != nil {
		w.results.damaged = []*fault{f}
		return o.readPromoted(ctx, w, own)
	}
	for _, ref := range index.Chunks {
		_, _, f, err := own.chunk(ctx, ref)
		if err != nil {
			return err
		}
		if f != nil {
			w.results.damaged = append(w.results.damaged, f)
		}
	}
	return o.readPromoted(ctx, w, own)
}

// readPromoted reads the promoted ConfigMap again: people roll out what it holds.
func (o *observer) readPromoted(ctx context.Context, w *observation, own resultReader) error {
	sw, ok := w.subject.(sweep)
	if !ok || sw.Status.PromotedSHA256 == "" {
		return nil
	}
	cm, f, err := own.configMap(ctx, sw.Status.Promoted)
	if err != nil {
		return err
	}
	if f == nil && dataDigest(cm.Data) != sw.Status.PromotedSHA256 {
		f = corruptResult("ConfigMap %s has the digest %s, but %s was promoted", cm.Name, dataDigest(cm.Data), sw.Status.PromotedSHA256)
	}
	if f != nil {
		w.results.damaged = append(w.results.damaged, f)
	}
	return nil
}

// resultsTouched reports whether ConfigMaps of a complete subject's results were deleted, or
// created again. The index is written last: a chunk that is newer than it was created
// again, and so was an index that is newer than the end.
func (w *observation) resultsTouched() bool {
	st := w.subject.status()
	var index *metav1.PartialObjectMetadata
	var chunks []*metav1.PartialObjectMetadata
	for i := range w.children.configMaps {
		cm := &w.children.configMaps[i]
		_, isList := cm.Labels[worker.LabelList]
		switch {
		case cm.Name == st.Results.Index:
			index = cm
		case cm.Labels[LabelComponent] == ComponentResult && !isList:
			chunks = append(chunks, cm)
		}
	}
	if index == nil || int64(len(chunks)) < st.Results.Chunks || w.promotedTouched() {
		return true
	}
	written := index.CreationTimestamp.Time
	return written.After(completionTime(st).Add(creationSlack)) ||
		slices.ContainsFunc(chunks, func(cm *metav1.PartialObjectMetadata) bool {
			return cm.CreationTimestamp.After(written)
		})
}

// promotedTouched reports whether the promoted ConfigMap was deleted, or created after the end.
func (w *observation) promotedTouched() bool {
	sw, ok := w.subject.(sweep)
	if !ok || sw.Status.PromotedSHA256 == "" {
		return false
	}
	for i := range w.children.configMaps {
		if cm := &w.children.configMaps[i]; cm.Name == sw.Status.Promoted {
			return cm.CreationTimestamp.After(completionTime(w.subject.status()).Add(creationSlack))
		}
	}
	return true
}

// setResultsDamaged writes what is wrong with the results of a complete subject, and
// records one event of it.
func (d reporter) setResultsDamaged(st *v1alpha1.CommonStatus) {
	if len(d.results.damaged) == 0 {
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionResultsDamaged)
		return
	}
	d.requeueWithin(damageInterval)
	var all []string
	for _, f := range d.results.damaged {
		all = append(all, f.message)
	}
	words := printable.Clip(fmt.Sprintf("%s; the status still describes the original results: restore the ConfigMaps with their owner references, or delete this object and apply it again", joinFirst(all)), maxMessage)
	before := meta.FindStatusCondition(d.subject.status().Conditions, v1alpha1.ConditionResultsDamaged)
	if before == nil || before.Message != words {
		d.decision.events = append(d.decision.events, recordedEvent{true, v1alpha1.ReasonResultsDamaged, "Reconcile", words})
	}
	meta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type:               v1alpha1.ConditionResultsDamaged,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: st.ObservedGeneration,
		LastTransitionTime: metav1.NewTime(d.now),
		Reason:             v1alpha1.ReasonResultsDamaged,
		Message:            words,
	})
}
