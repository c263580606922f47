// SPDX-License-Identifier: Apache-2.0

// Package hpa writes testdata of pkg/policy/autoscaling/hpa: what the real controller of the
// HorizontalPodAutoscaler decides in random states, and in stories of many syncs.
//
// TestTheGoldenSet checks the committed files against the controller, and writes them with
// -update. It needs minutes for the first build.
//
// The controller runs unchanged, in a bubble of testing/synctest for its clock. controller.go
// has the cluster around it, objects.go and metrics.go translate a story into what it reads, and
// directed.go and the files of random_*.go make up the stories.
package hpa
