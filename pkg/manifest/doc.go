// SPDX-License-Identifier: Apache-2.0

// Package manifest turns files into typed, defaulted, validated objects, as an
// API server would. The schema is that of the embedded CRDs; what happens to a
// document, and in which order, is what kube-apiserver's handler of custom
// resources does on create with fieldValidation=Strict: unknown and duplicate
// fields end it; then come defaults; then the OpenAPI schema, object metadata
// and unique list entries, all at once; then the CEL rules, unless one of the
// errors before stands in their way. Every fault of every document is reported,
// with its file, line, document, kind, name and field.
//
// Four things differ, because there is no cluster: an object without a
// namespace is in "default"; a name is never generated; fields that a server
// sets (status, uid, resourceVersion and the like) are dropped, so that what
// `kubectl get -o yaml` prints can be read back; and nobody asks whether the
// namespace exists.
//
// The package knows nothing of simulations: whether a metric, a model or an
// EndpointPickerConfig makes sense is for pkg/experiment to say.
//
// Start at Read. Validate and Default are for objects made in Go.
package manifest
