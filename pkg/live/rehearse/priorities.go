// SPDX-License-Identifier: Apache-2.0

package rehearse

import "windtunnel.dev/windtunnel/pkg/workload"

// WithoutPriorities returns the requests of a source with priority 0. An EPP without Kubernetes
// knows no other: priorities come from InferenceObjectives.
func WithoutPriorities(s workload.Source) workload.Source { return unprioritised{s} }

type unprioritised struct{ workload.Source }

// Next implements [workload.Source].
func (u unprioritised) Next() (workload.Request, bool) {
	q, ok := u.Source.Next()
	q.Priority = 0
	return q, ok
}

// Close implements [io.Closer].
func (u unprioritised) Close() error { return workload.Close(u.Source) }
