// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// scriptRevoker ends requests at given times.
type scriptRevoker struct{ revocations []revocation }

type revocation struct {
	at      simtime.Time
	request int
}

func (r *scriptRevoker) Revokes() bool { return len(r.revocations) > 0 }

func (r *scriptRevoker) Revoke(now simtime.Time) (int, bool) {
	if len(r.revocations) == 0 || r.revocations[0].at > now {
		return 0, false
	}
	first := r.revocations[0]
	r.revocations = r.revocations[1:]
	return first.request, true
}
