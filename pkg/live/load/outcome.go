// SPDX-License-Identifier: Apache-2.0

package load

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/picker"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Outcome is how a request ended, by the client's clock. Times are of the workload: those of the
// client times the speed. Arrival is when the request was sent, and TTFT and E2E are from then on.
type Outcome struct {
	Request workload.Request
	simulator.RequestEnd
	// Endpoint is the address:port that the EPP chose; empty without an EPP.
	Endpoint string
	// Chosen is when the EPP's answer came, whatever it was.
	Chosen simtime.Time
	// Scores are what the EPP gave each endpoint, by address; nil where it does not tell.
	Scores map[string]float64
	// Gaps are the times between the parts of the answer, each of one token or more.
	Gaps []time.Duration
	// Fault says why the request failed or was rejected.
	Fault string

	answer []byte
	token  string
}

// The words of [simulator.RequestEnd.Ended].
const (
	completed  = "completed"
	rejected   = "rejected"
	timedOut   = "timed out"
	failed     = "failed"
	unfinished = "unfinished"
)

// errTimeOut is the cause for which a client gives a request up.
var errTimeOut = errors.New("the client has waited long enough")

// droppedReasons are the EPP's reasons (llm-d-router, pkg/common/error) in the simulator's words.
var droppedReasons = map[string]simulator.Reason{
	"rejected-saturated": simulator.Shed, "rejected-no-endpoints": simulator.NoEndpoint, "rejected-ttl-expired": simulator.Expired,
	"evicted": simulator.Evicted, "evicted-queue-pressure": simulator.Evicted, "evicted-priority": simulator.Evicted,
}

// Failed reports whether the request was neither served, nor refused, nor given up.
func (o *Outcome) Failed() bool { return o.Ended == failed }

// fail notes how a request ended that was not answered whole. The cause is that of its context.
func (o *Outcome) fail(err, cause error) {
	var refused *picker.Rejection
	var status *statusError
	o.Fault = err.Error()
	switch {
	case errors.Is(cause, errTimeOut):
		o.Ended = timedOut
	case errors.As(cause, &refused), errors.As(err, &refused):
		o.refuse(refused.Code, refused.Reason, refused.Text)
	case errors.As(err, &status):
		o.refuse(status.code, status.reason, status.text)
	default:
		o.Ended = failed
	}
}

// refuse notes an answer other than 200 OK.
func (o *Outcome) refuse(code int, reason, text string) {
	o.Ended = rejected
	known, is := droppedReasons[reason]
	switch {
	case is:
		o.Reason = known
	case code == http.StatusTooManyRequests:
		o.Reason = simulator.Shed
	case code == http.StatusServiceUnavailable:
		o.Reason = simulator.EngineQueueFull
	case code == http.StatusBadRequest && strings.Contains(text, "maximum context length"):
		o.Reason = simulator.ExceedsModelLength
	default:
		o.Ended = failed
	}
}

// ending is the ending in the words of the source.
func (o *Outcome) ending() workload.Ending {
	switch o.Ended {
	case completed:
		return workload.Completed
	case rejected:
		return workload.Rejected
	case timedOut:
		return workload.TimedOut
	default:
		return workload.Failed
	}
}
