// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// TraceSlice is a part of a trace's time, counted from the first arrival.
type TraceSlice struct {
	// from is where it begins. Without it, at the first arrival.
	// +optional
	From Duration `json:"from,omitempty"`
	// to is where it ends: a request that arrives then is not sent. Without it, at the
	// end of the trace.
	// +optional
	To PositiveDuration `json:"to,omitempty"`
}
