// SPDX-License-Identifier: Apache-2.0

// Package run is the state of a run that all rooms of the engine share: the clock, the
// requests in flight, the figures, and the observers.
package run
