// SPDX-License-Identifier: Apache-2.0

// Package manifest reads a HorizontalPodAutoscaler or a ScaledObject of KEDA as it stands in
// a cluster, and makes it a scaler. Packages hpa and keda decide; this one observes for them
// what a metrics adapter would tell.
//
// Start at [Read]. text.go finds the object in a text; fields_hpa.go and fields_keda.go list
// every field with what becomes of it, by which walk.go checks the object; hpa.go and keda.go
// read it; scale_hpa.go and scale_keda.go scale.
package manifest
