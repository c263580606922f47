// SPDX-License-Identifier: Apache-2.0

// Package wva writes testdata of pkg/policy/autoscaling/wva: what the saturation analyser of
// llm-d's workload-variant-autoscaler decides.
//
// TestTheGoldenSet checks the committed file against the analyser, and writes it with -update.
// The analyser is internal to its module, so the test needs a checkout at commit b08b1c77, whose
// path WVA_CHECKOUT states. The test lays testdata/ask.go.txt over the checkout as a test of the
// analyser's package, and leaves the checkout as it is.
package wva
