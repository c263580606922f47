// SPDX-License-Identifier: Apache-2.0

package autoscaling

// A Trigger has the scaler asked between its regular times.
type Trigger interface {
	// Fires is asked whenever the monitor has scraped. It reports whether the scaler is
	// to be asked at once.
	Fires(view *View) bool
}
