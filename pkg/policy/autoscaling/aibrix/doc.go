// SPDX-License-Identifier: Apache-2.0

// Package aibrix decides as the PodAutoscaler of AIBrix does (vllm-project/aibrix at commit
// e3e10f9e, pkg/controller/podautoscaler), with the strategies KPA and APA. It knows neither
// Kubernetes nor the simulator: the caller observes, and asks for a decision every [Resync].
//
// Start at [Autoscaler.Decide]. testdata holds answers of the real controller, which the package
// repeats exactly. The test in test/aibrix writes them.
//
// Not in here: the strategy HPA, which is a HorizontalPodAutoscaler that AIBrix makes, and bounds by
// schedules.
package aibrix
