// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// clock is where a replica stands in time.
type clock struct {
	// Next is when the step under way ends, or, without one, when an
	// idle replica wakes, be it now or when an adapter is loaded; Never if it has
	// nothing to do.
	Next simtime.Time
	// Stepping says that a step is under way, since StepStart. Then Held is nil.
	Stepping  bool
	StepStart simtime.Time
	// stepEnd is when the step before it ended, which gave those in step their
	// last token.
	stepEnd simtime.Time
	// Held is the step that waits for a transfer before it begins; nil if none
	// does.
	Held *latency.Step
	// LockStep is the ranks that step together; nil where it steps on its own.
	LockStep *lockStep
	// Ready is when the replica began to serve, and WarmUntil up to when its steps are
	// slower then; 0 where they never were.
	Ready, WarmUntil simtime.Time
}
