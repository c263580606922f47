// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"net/http"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/workload"
)

// Headers that EPPs of llm-d read (llm-d-router, pkg/epp/metadata and its session affinity).
const (
	requestIDHeader = "X-Request-Id"
	fairnessHeader  = "X-Llm-D-Inference-Fairness-Id"
	objectiveHeader = "X-Llm-D-Inference-Objective"
	sessionHeader   = "X-Session-Id"
	// sessionTokenHeader comes with an answer, and goes back with the next request of the session.
	sessionTokenHeader = "X-Session-Token"
)

// headers are those of a request: its tenant is its fairness ID, and its class its objective, but
// for those that the workload does not name. Headers of the workload take their place.
func (r *run) headers(q *workload.Request) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, requestIDHeader: {RequestID(r.Seed, q.ID)}}
	if tenant := r.labels.Tenants[q.Tenant]; tenant != workload.DefaultLabel {
		h.Set(fairnessHeader, tenant)
	}
	if r.Objective != nil {
		h.Set(objectiveHeader, r.Objective(q))
	} else if class := r.labels.Classes[q.Class]; class != workload.DefaultLabel {
		h.Set(objectiveHeader, class)
	}
	if q.Session > 0 {
		h.Set(sessionHeader, strconv.Itoa(int(q.Session)))
		if token := r.tokens[q.Session]; token != "" {
			h.Set(sessionTokenHeader, token)
		}
	}
	if q.Headers > 0 {
		for name, value := range r.labels.Headers[q.Headers-1] {
			h.Set(name, value)
		}
	}
	return h
}

// RequestID is the ID that a request carries, by the seed and its number in order of arrival.
func RequestID(seed int64, request int) string { return fmt.Sprintf("windtunnel-%d-%d", seed, request) }
