// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Lifetime is an interval [From, To) in which a replica is there: it is paid for,
// and can hold requests. A replica that drains is there.
type Lifetime struct{ From, To simtime.Time }

// Duration returns how long the lifetime is.
func (l Lifetime) Duration() time.Duration { return l.To.Sub(l.From) }

// Present returns for how long the replica was there.
func (u *ReplicaUse) Present() time.Duration {
	var sum time.Duration
	for _, l := range u.Lifetimes {
		sum += l.Duration()
	}
	return sum
}
