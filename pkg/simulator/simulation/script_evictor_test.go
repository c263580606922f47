// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simtime"

// scriptEvictor ends requests at given times.
type scriptEvictor struct{ revocations []revocation }

type revocation struct {
	at      simtime.Time
	request int
}

func (r *scriptEvictor) Evict(now simtime.Time) (int, bool) {
	if len(r.revocations) == 0 || r.revocations[0].at > now {
		return 0, false
	}
	first := r.revocations[0]
	r.revocations = r.revocations[1:]
	return first.request, true
}
