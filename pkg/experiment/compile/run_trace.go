// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/trace"
)

// defaultKeptRequests is how many requests have their traces kept unless the run says
// otherwise.
const defaultKeptRequests = 100

// addTrace adds what of the traces is kept.
func (c *compiler) addTrace(in *v1alpha1.RunTrace) {
	c.plan.Anomalies = Thresholds(in.Anomalies)
	if in.Level != v1alpha1.DecisionsTrace && in.Level != v1alpha1.FullTrace {
		return
	}
	c.plan.Decisions = int(ptr.Deref(in.Decisions, defaultKeptRequests))
	c.plan.FullTrace, c.plan.TraceSample = in.Level == v1alpha1.FullTrace, in.Sample.Float()
}

// Thresholds are those of a run; the defaults of nil. Thresholds that are the defaults are none, so that
// runs that spell the defaults out have the keys of those that do not.
func Thresholds(in *v1alpha1.AnomalyThresholds) trace.Thresholds {
	if in == nil {
		return trace.Thresholds{}
	}
	t := trace.Thresholds{
		MinRequests: int(in.MinRequests), MinShare: in.MinShare.Float(), TTFT: in.TTFT.Duration(), InversionMargin: in.InversionMargin.Duration(),
		Tokens: int(in.CacheTokens), Remembered: in.CacheMemory.Duration(), Divergence: in.Divergence.Float(), Waiting: int(in.Waiting),
		HotShare: in.HotShare.Float(), Reversals: int(in.Reversals), ReversalWindow: in.ReversalWindow.Duration(),
		Burst: in.Burst.Float(), Rise: in.Rise.Float(), LongPrompt: int(in.LongPrompt), Tail: in.Tail.Float(), Storm: int(in.Storm),
	}
	if t == trace.DefaultThresholds() {
		return trace.Thresholds{}
	}
	return t
}
