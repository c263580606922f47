// SPDX-License-Identifier: Apache-2.0

package result

// QueueUse is what the order of the wait queues did to those who waited, in the pools
// that measure it.
type QueueUse struct {
	// PriorityInversions counts the admissions of a request to a batch while a request
	// with a higher priority waited that had entered the queue before it.
	PriorityInversions int64 `json:"priorityInversions"`
	// HeadOfLineBlocking is the time in which the first request of a queue did not fit
	// into the free KV blocks while another one would have, ÷ lifetimes, mean of the
	// replicas.
	HeadOfLineBlocking *float64 `json:"headOfLineBlocking,omitempty"`
}

// queues are the wait queues of replicas.
var queues = subject{
	gather: func(in *selection, g *Group) {
		if g.Replicas != nil {
			g.Replicas.Queue = in.queueUse()
		}
	},
	families: []family{
		single("priorityInversions", replicaLabels, statistic{
			unit: Count, direction: Minimize,
			help:  "admissions of a request to the batch while another one waits that has a higher priority and entered the queue earlier, each time that a request is admitted",
			value: ofQueues(func(u *QueueUse) (float64, bool) { return float64(u.PriorityInversions), true }),
		}).needing(NeedsQueueMetrics),
		single("headOfLineBlocking", replicaLabels, statistic{
			unit: Share, direction: Minimize,
			help:  "time in which the free KV blocks do not hold the first request of the wait queue, and hold another one, ÷ lifetimes, mean of the replicas; found when a step is formed, without regard to cached prefixes",
			value: ofQueues(func(u *QueueUse) (float64, bool) { return optional(u.HeadOfLineBlocking) }),
		}).needing(NeedsQueueMetrics),
	},
}

func ofQueues(of func(*QueueUse) (float64, bool)) func(*Group) (float64, bool) {
	return ofReplicas(func(r *Replicas) (float64, bool) {
		if r.Queue == nil {
			return 0, false
		}
		return of(r.Queue)
	})
}

// queueUse sums up the queues of the selection's replicas; nil where none is measured.
func (in *selection) queueUse() *QueueUse {
	var sum *QueueUse
	var blocked []float64
	for use := range in.uses() {
		if use.Queue == nil {
			continue
		}
		if sum == nil {
			sum = &QueueUse{}
		}
		sum.PriorityInversions += use.Queue.Inversions
		if present := use.Present(); present > 0 {
			blocked = append(blocked, float64(use.Queue.Blocked)/float64(present))
		}
	}
	if sum != nil {
		sum.HeadOfLineBlocking = meanOf(blocked)
	}
	return sum
}
