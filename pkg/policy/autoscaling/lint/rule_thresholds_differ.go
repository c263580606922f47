// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var thresholdsDiffer = Rule{
	ID: "thresholds-differ", Severity: lint.Warning, Kind: manifest.ConfigMap,
	Summary: "thresholds of the workload-variant-autoscaler that differ from those of the EPP's saturation detector",
	Why:     "The autoscaler and the EPP take different replicas for saturated: the EPP sheds requests, or has them wait, before the autoscaler sees a need for replicas, or the autoscaler adds replicas that the EPP does not need.",
	Fix:     "Set kvCacheThreshold to the detector's kvCacheUtilThreshold, and queueLengthThreshold to the detector's queueDepthThreshold.",
	Context: Context{Detector: &Detector{KVUsage: 0.8, Queue: 5}},
	check: func(p *pass) {
		if p.Detector == nil {
			return
		}
		a := p.Analyser()
		if a.KVCacheThreshold != p.Detector.KVUsage {
			p.report(p.EntryPath().Child("kvCacheThreshold"), "kvCacheThreshold is %v, and kvCacheUtilThreshold of the EPP is %v", a.KVCacheThreshold, p.Detector.KVUsage)
		}
		if a.QueueLengthThreshold != float64(p.Detector.Queue) {
			p.report(p.EntryPath().Child("queueLengthThreshold"), "queueLengthThreshold is %v, and queueDepthThreshold of the EPP is %d", a.QueueLengthThreshold, p.Detector.Queue)
		}
	},
}
