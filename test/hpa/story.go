// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Story is one autoscaler over some syncs. pkg/policy/autoscaling/hpa reads it.
type Story struct {
	// Name is empty for a random story.
	Name    string
	Spec    hpa.Spec
	Options hpa.Options
	Syncs   []*Sync
}

// Sync is what the autoscaler saw, and what the controller did.
type Sync struct {
	At       simtime.Time
	Scale    hpa.Scale
	Observed []hpa.Observation
	Want     Want
}

// Want is the answer of the controller. Able, Active and Limited are the reasons that the
// conditions have after the sync, be they of an earlier one.
type Want struct {
	Replicas              int32
	Rescale               bool
	Able, Active, Limited hpa.Reason
	// Proposals are empty where the controller asked no metric, and Chosen is -1 where it
	// followed none.
	Proposals []hpa.Proposal
	Chosen    int
}

// play runs the syncs that next makes, until it returns nil. next sees the count that the
// controller has left.
func play(t *testing.T, s *Story, next func(now simtime.Time, replicas int32) *Sync) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		o := object(s.Spec)
		c := newController(t, o, s.Options)
		metrics := hpa.Defaults(s.Spec).Metrics
		for i, m := range metrics {
			if m.CPU {
				c.metrics.cpu = i
			}
		}
		c.metrics.start = start
		for {
			sync := next(simtime.Time(time.Since(start)), c.scale.Scale.Spec.Replicas)
			if sync == nil {
				return
			}
			time.Sleep(time.Duration(sync.At) - time.Since(start))
			c.show(t, start, metrics, sync)
			sync.Want = c.answer(t, sync)
			s.Syncs = append(s.Syncs, sync)
		}
	})
}

// show puts what a sync sees into the cluster.
func (c *controller) show(t *testing.T, start time.Time, metrics []hpa.Metric, sync *Sync) {
	var pods []any
	for i := range sync.Scale.Pods {
		pods = append(pods, pod(start, metrics, sync, i))
	}
	if err := c.pods.Replace(pods, ""); err != nil {
		t.Fatal(err)
	}
	c.metrics.observed = sync.Observed
	c.scale.Scale.Spec.Replicas = sync.Scale.Spec
	c.scale.Scale.Status.Replicas = sync.Scale.Status
	c.scale.Scale.Status.Selector = "app=x"
}

// answer makes one sync.
func (c *controller) answer(t *testing.T, sync *Sync) Want {
	w := Want{Chosen: -1}
	if n := sync.Scale.Spec; n != 0 && n <= c.stored.Spec.MaxReplicas && n >= *c.stored.Spec.MinReplicas {
		for i := range c.stored.Spec.Metrics {
			w.Proposals = append(w.Proposals, c.proposal(t.Context(), i))
		}
	}
	c.scale.written = false
	err := c.sync(t.Context())
	w.Replicas, w.Rescale = c.scale.Scale.Spec.Replicas, c.scale.written
	w.Able = c.reason(autoscalingv2.AbleToScale)
	w.Active = c.reason(autoscalingv2.ScalingActive)
	w.Limited = c.reason(autoscalingv2.ScalingLimited)
	if len(w.Proposals) > 0 && w.Active == hpa.ValidMetricFound {
		w.Chosen = c.chosen()
	}
	if err != nil && !slices.ContainsFunc(w.Proposals, func(p hpa.Proposal) bool { return p.Failed != "" }) {
		t.Fatalf("an error without a failed metric: %v", err)
	}
	return w
}
