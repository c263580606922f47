// SPDX-License-Identifier: Apache-2.0

// Package rehearse holds a run against a real EPP against the simulation of the same scenario. The
// EPP's [Choices] are put into a second simulation ([Compare]), so that each decision is compared
// after the same ones before it: one that falls otherwise has no effect on those behind it.
//
// It neither starts anything nor sends requests.
package rehearse
