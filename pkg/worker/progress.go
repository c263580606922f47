// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// ProgressInterval is how often a shard looks whether its progress is worth telling.
const ProgressInterval = 30 * time.Second

// maxProgressWrites is in how many parts a shard tells of its progress at most.
const maxProgressWrites = 10

// Labels of the ConfigMaps by which shards tell of their progress. They have no
// content: who reads them reads metadata alone.
const (
	// LabelShard is the index of the shard.
	LabelShard = "sim.windtunnel.dev/shard"
	// LabelDone is how many of its simulations were done.
	LabelDone = "sim.windtunnel.dev/done"
	// ComponentProgress is their component, where results have another one.
	ComponentProgress = "progress"

	labelComponent = "app.kubernetes.io/component"
)

// writeProgress writes how many of a shard's simulations are done, at each tick that finds a
// tenth of them done since the last report, until ctx ends. Nothing depends on it: what
// cannot be written is left out.
func (w *Owner) writeProgress(ctx context.Context, creator Creator, ticks <-chan time.Time, shard, total int, done *atomic.Int64) {
	for told := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		now := int(done.Load())
		if now == total || (now-told)*maxProgressWrites < total {
			continue
		}
		told = now
		_ = creator.CreateConfigMap(ctx, w.Progress(shard, now))
	}
}

// Progress makes the object that says how many of a shard's simulations are done. A
// shard that runs again makes the same objects again.
func (w *Owner) Progress(shard, done int) *corev1.ConfigMap {
	name := fmt.Sprintf("%s%d-%d", ProgressPrefix(w.Prefix), shard, done)
	cm := w.emptyConfigMap(name + "-" + experiment.Digest([]byte(name))[:8])
	cm.Labels = maps.Clone(cm.Labels)
	if cm.Labels == nil {
		cm.Labels = map[string]string{}
	}
	cm.Labels[labelComponent] = ComponentProgress
	cm.Labels[LabelShard], cm.Labels[LabelDone] = strconv.Itoa(shard), strconv.Itoa(done)
	return cm
}

// ProgressPrefix begins the names of the ConfigMaps that tell of the progress of
// shards whose results begin with a prefix.
func ProgressPrefix(prefix string) string { return prefix + "-progress-" }
