// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "time"

// Duration is a span of time of 0 or more, such as 0s or 10m. It is a string
// type of its own, not metav1.Duration, so that its bounds are stated once.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([.][0-9]+)?([nuµm]?s|m|h))+$') && duration(self) <= duration('8760h')",message="must be a duration up to 8760h, such as 10m"
type Duration string

// Duration returns the span; 0 where d is none, which the schema rules out.
func (d Duration) Duration() time.Duration {
	span, _ := time.ParseDuration(string(d))
	return span
}

// PositiveDuration is a Duration greater than 0.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([.][0-9]+)?([nuµm]?s|m|h))+$') && duration(self) > duration('0s') && duration(self) <= duration('8760h')",message="must be a duration above 0s, up to 8760h, such as 500ms"
type PositiveDuration string

// Duration returns the span; 0 where d is none, which the schema rules out.
func (d PositiveDuration) Duration() time.Duration { return Duration(d).Duration() }

// Timestamp is a date and a time with its offset from UTC.
//
// +kubebuilder:validation:Format=date-time
// +kubebuilder:validation:MaxLength=32
type Timestamp string

// Time returns the time; zero where t is none, which the schema rules out.
func (t Timestamp) Time() time.Time {
	at, _ := time.Parse(time.RFC3339, string(t))
	return at
}

// RefreshInterval is the time between two scrapes of a replica's metrics. The
// EPP clamps what is less than 50ms.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([.][0-9]+)?([nuµm]?s|m|h))+$') && duration(self) >= duration('50ms') && duration(self) <= duration('1h')",message="must be a duration of at least 50ms, as in the EPP, and at most 1h"
type RefreshInterval string

// Duration returns the span; 0 where d is none, which the schema rules out.
func (d RefreshInterval) Duration() time.Duration { return Duration(d).Duration() }
