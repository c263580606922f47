// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/kv/stability"

// Stability watches each replica of a pool with a controller of its own.
type Stability struct {
	Form stability.Form
	// Config is the controller's; its BlockTokens is the pool's, whatever it
	// says.
	Config stability.Config
	// Evict lets the controller empty free blocks before they are wanted.
	Evict bool
	// Admission says what becomes of a request for which the controller finds
	// no room next to what runs.
	Admission StabilityAdmission
}

// StabilityAdmission is whether admission consults the controller.
type StabilityAdmission int

const (
	// AdmitAlways does not ask.
	AdmitAlways StabilityAdmission = iota
	// AdmitOrQueue leaves the request in the wait queue, unless nothing runs.
	AdmitOrQueue
	// AdmitOrRefuse turns the request away when it arrives.
	AdmitOrRefuse
)
