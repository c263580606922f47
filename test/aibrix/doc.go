// SPDX-License-Identifier: Apache-2.0

// Package aibrix writes testdata of pkg/policy/autoscaling/aibrix: what the controller of AIBrix's
// PodAutoscalers decides.
//
// TestTheGoldenSet checks the committed file against the controller, and writes it with -update. It
// needs a checkout of vllm-project/aibrix at commit e3e10f9e, whose path AIBRIX_CHECKOUT states. It
// lays testdata/ask.go.txt over the checkout in place of the tests of the controller's package, and
// leaves the checkout as it is.
package aibrix
