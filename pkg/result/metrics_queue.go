// SPDX-License-Identifier: Apache-2.0

package result

// QueueUse is what the order of the wait queues did to those who waited, in the pools
// that measure it.
type QueueUse struct {
	// PriorityInversions counts the requests that waited on while one of lower priority was
	// admitted.
	PriorityInversions int64 `json:"priorityInversions"`
	// HeadOfLineBlocking counts the requests that waited behind a much longer prompt, or
	// behind one without room while there was room for them.
	HeadOfLineBlocking int64 `json:"headOfLineBlocking"`
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
			help:  "requests that stayed in the wait queue while a request of lower priority was admitted to the batch; each request counts once",
			value: ofQueues(func(u *QueueUse) int64 { return u.PriorityInversions }),
		}).needing(NeedsQueueMetrics),
		single("headOfLineBlocking", replicaLabels, statistic{
			unit: Count, direction: Minimize,
			help:  "requests that stayed in the wait queue while the engine computed a prompt with at least 8 times as many tokens to compute (longPrompt of the thresholds of anomalies), or while the first request of the queue had no room in the KV cache and they had; without cached prefixes; each request counts once",
			value: ofQueues(func(u *QueueUse) int64 { return u.HeadOfLineBlocking }),
		}).needing(NeedsQueueMetrics),
	},
}

func ofQueues(of func(*QueueUse) int64) func(*Group) (float64, bool) {
	return ofReplicas(func(r *Replicas) (float64, bool) {
		if r.Queue == nil {
			return 0, false
		}
		return float64(of(r.Queue)), true
	})
}

// queueUse sums up the queues of the selection's replicas; nil where none is measured.
func (in *selection) queueUse() *QueueUse {
	var sum *QueueUse
	for use := range in.uses() {
		if use.Queue == nil {
			continue
		}
		if sum == nil {
			sum = &QueueUse{}
		}
		sum.PriorityInversions += use.Queue.Inversions
		sum.HeadOfLineBlocking += use.Queue.Blocked
	}
	return sum
}
