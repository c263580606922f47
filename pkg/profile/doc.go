// SPDX-License-Identifier: Apache-2.0

// Package profile turns the profiles of load generators, and the workloads of another
// simulator, into workloads of the API.
//
// [Convert] takes over what a profile says of traffic. What it says of endpoints, reports
// and the like is left out, and whatever else the API cannot say is an error at the
// field's path in the profile.
package profile
