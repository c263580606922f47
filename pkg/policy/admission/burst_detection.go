// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// burstDetection stops a tenant in a burst: while its arrivals over a short window are
// more than factor times those that its mean over a long window predicts, and at least
// minimum. The short window is left out of the mean, so that a burst does not excuse
// itself. Nothing is a burst before two short windows have passed, as there is no mean.
type burstDetection struct {
	factor         float64
	minimum        int64
	window, memory time.Duration
	short, long    []policy.Window // by tenant
	wait           patience
}

func readBurstDetection(l *loader) func(int64) policy.Admission {
	factor := l.Positive("factor", 3, "how many times the mean is a burst")
	minimum := l.Count("minimum", 10, "arrivals in the window below which there is no burst")
	window := l.Duration("window", time.Second, "the time in which a burst shows")
	memory := l.Duration("memory", time.Minute, "the time over which the mean of a tenant is taken")
	wait := readPatience(l, "a tenant in a burst")
	if memory <= window {
		l.Invalid("memory", "must be longer than window")
	}
	tenants := len(l.names.Tenants)
	return func(int64) policy.Admission {
		b := &burstDetection{factor: factor, minimum: int64(minimum), window: window, memory: memory, wait: wait}
		for range tenants {
			b.short = append(b.short, policy.NewWindow(window))
			b.long = append(b.long, policy.NewWindow(memory))
		}
		return b
	}
}

func (b *burstDetection) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	short, long := &b.short[request.Tenant], &b.long[request.Tenant]
	if request.Arrival == view.Now {
		short.Add(view.Now, 1)
		long.Add(view.Now, 1)
	}
	before := min(time.Duration(view.Now), b.memory) - b.window
	recent := short.Sum(view.Now)
	if recent < b.minimum || before < b.window {
		return policy.AdmissionResponse{}
	}
	expected := float64(long.Sum(view.Now)-recent) * (b.window.Seconds() / before.Seconds())
	if float64(recent) <= b.factor*expected {
		return policy.AdmissionResponse{}
	}
	return b.wait.orReject(view.Now, request, policy.ErrRateLimited)
}
