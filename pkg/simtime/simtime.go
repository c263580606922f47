// SPDX-License-Identifier: Apache-2.0

// Package simtime has the type of simulated time: integer nanoseconds since the start of
// a run. It never reads the wall clock, so arithmetic and order of times are exact on
// every machine.
package simtime

import (
	"math"
	"time"
)

// Time is a point of simulated time, in nanoseconds since the start of the run.
type Time int64

// Never is later than every event of a run.
const Never Time = math.MaxInt64

// Add returns the time d after t.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / 1e9 }

// String prints t as a duration since the start, such as 1.5s.
func (t Time) String() string { return time.Duration(t).String() }
