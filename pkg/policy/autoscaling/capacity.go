// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"time"
)

// capacity is how many replicas a rate of requests needs.
type capacity struct {
	perReplica []float64 // requests per second, by pool
	headroom   float64
	cooldowns  cooldowns
}

func readCapacity(l *loader) capacity {
	const why = "the requests per second that one replica serves within its targets"
	all := l.Positive("capacity", math.NaN(), why)
	c := capacity{
		perReplica: l.PositiveOf("capacity", "pool", l.names(), all, "the capacity of a replica of one pool"),
		headroom:   l.Between("headroom", 0, 10, 0.1, "the share by which the replicas can serve more than the rate"),
		cooldowns:  readCooldowns(l, 0, 5*time.Minute),
	}
	for k, name := range l.names() {
		if math.IsNaN(c.perReplica[k]) && !l.stated("capacity") && !l.stated("capacity:"+name) {
			l.Require("capacity", "state "+why)
			break
		}
	}
	return c
}

// settle sizes all pools for a rate, as far as the bounds and the cooldowns allow.
func (c *capacity) settle(view *View, wanted []int, rate float64, why string) Reason {
	was, grows, shrinks := listed(wanted), false, false
	sizes := [2]int{}
	for k := range view.Pools {
		sizes[k] = view.Pools[k].bounded(ceil(rate * (1 + c.headroom) / c.perReplica[k]))
		grows, shrinks = grows || sizes[k] > wanted[k], shrinks || sizes[k] < wanted[k]
	}
	to := listed(sizes[:len(wanted)])
	if !grows && !shrinks {
		return Reason(fmt.Sprintf("stays at %s: %s", was, why))
	}
	if until := c.cooldowns.until(grows); until > view.Now {
		return Reason(fmt.Sprintf("stays at %s instead of %s in the cooldown until %s: %s", was, to, until, why))
	}
	c.cooldowns.changed(view.Now, grows)
	copy(wanted, sizes[:])
	return Reason(fmt.Sprintf("from %s to %s: %s", was, to, why))
}

// readLead reads how far ahead a policy looks.
func readLead(l *loader) time.Duration {
	return l.Duration("lead", 2*time.Minute, "how far ahead the arrival rate is looked at: the time that a replica takes to start")
}
