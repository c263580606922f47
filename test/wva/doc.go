// SPDX-License-Identifier: Apache-2.0

// Package wva writes testdata of pkg/policy/autoscaling/wva: what the saturation analysers of
// llm-d's workload-variant-autoscaler decide.
//
// TestTheGoldenSet and TestTheGoldenSetByTokens check the committed files against the analysers,
// and write them with -update. The analysers are internal to their module, so the tests need
// checkouts: WVA_CHECKOUT states the path of one at commit b08b1c77, for the analyser by
// percentages, and WVA_TOKENS_CHECKOUT that of one at 2976e4ee, for the analyser by tokens with
// its thresholds, its optimizers and its quotas. The tests lay a program of testdata over the checkout
// in place of the tests of a package, and leave the checkout as it is.
package wva
