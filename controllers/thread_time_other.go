// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package controllers

import "time"

// threadTime returns what tells the time since the call: managers run on Linux.
func threadTime() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
