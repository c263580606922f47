// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "fmt"

// waking keeps a replica in each pool while requests are in flight: without one they
// would wait for ever, as none of the metrics of engines that are not there grows.
type waking struct{ Scaler }

func (w *waking) Scale(view *View, wanted []int) Reason {
	reason := w.Scaler.Scale(view, wanted)
	s := view.Monitor.Latest(view.Now)
	if s == nil || s.Gateway.InFlight() == 0 {
		return reason
	}
	woken := false
	for k := range view.Pools {
		if wanted[k] < 1 && view.Pools[k].Max > 0 {
			wanted[k], woken = 1, true
		}
	}
	if !woken {
		return reason
	}
	return Reason(fmt.Sprintf("keeps a replica in each pool: %s in flight, and %s for a replica; %s",
		counted(int(s.Gateway.InFlight()), "request is", "requests are"), counted(s.Gateway.Awaiting, "waits", "wait"), reason))
}
