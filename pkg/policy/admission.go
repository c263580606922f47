// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// The reasons of an [Admission] other than [ErrShed].
var (
	// ErrRateLimited says that requests come faster than a rate limit allows.
	ErrRateLimited = fmt.Errorf("over the rate limit: %w", ErrNoEndpoint)
	// ErrOverBudget says that a tenant has used up its budget.
	ErrOverBudget = fmt.Errorf("over the tenant's budget: %w", ErrNoEndpoint)
	// ErrClassRefused says that requests of the class do not enter in this state.
	ErrClassRefused = fmt.Errorf("requests of the class do not enter now: %w", ErrNoEndpoint)
)

// Admission decides which requests enter, and when.
type Admission interface {
	// Admit is asked when a request arrives, after its priority is known, and again
	// when a delay that it asked for ends. It is not asked again about a request that
	// it has admitted, also where the router holds it or routes it again. The view and
	// the request are only valid during the call.
	Admit(view *View, request *Request) AdmissionResponse
}

// AdmissionResponse is what an [Admission] says of a request. The zero value admits it.
type AdmissionResponse struct {
	// Rejection is an error that wraps [ErrNoEndpoint] and says why the request does
	// not enter; nil if it may.
	Rejection error
	// Until is when the policy is to be asked again, after the time of the view; 0
	// where the request is not delayed. A client may give the request up before.
	Until simtime.Time
	// Hints are for the engine of a request that enters.
	Hints Hints
}

// Reject is the verdict that a request does not enter, for a reason that wraps
// [ErrNoEndpoint].
func Reject(reason error) AdmissionResponse { return AdmissionResponse{Rejection: reason} }

// DelayUntil is the verdict that a request waits at the gateway, and that the policy
// is to be asked again then.
func DelayUntil(at simtime.Time) AdmissionResponse { return AdmissionResponse{Until: at} }
