// SPDX-License-Identifier: Apache-2.0

// Package manifest reads a HorizontalPodAutoscaler, a ScaledObject of KEDA, a PodAutoscaler
// of AIBrix or the ConfigMap of
// llm-d's workload-variant-autoscaler as it stands in a cluster, and makes it a scaler.
// Packages hpa, keda and wva decide; this one observes for them what a metrics adapter would
// tell.
//
// Start at [Read]. text.go finds the object in a text; fields_hpa.go, fields_keda.go and
// fields_wva.go list every field with what becomes of it, by which walk.go checks the object;
// read_hpa.go, read_keda.go and read_wva.go read it; scale_hpa.go, scale_keda.go and
// scale_wva.go scale.
package manifest
