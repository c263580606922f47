// SPDX-License-Identifier: Apache-2.0

// Package manifest reads files into typed, defaulted and validated objects, as an API
// server would. It does not check the meaning of metrics, models or
// EndpointPickerConfigs; pkg/experiment does.
//
// The schema is the embedded CRDs. The order of the checks is the order of
// kube-apiserver for the creation of a custom resource with fieldValidation=Strict:
// unknown and duplicate fields stop the checks; then the defaults; then the OpenAPI
// schema, object metadata and unique list entries together; then the CEL rules, unless
// an earlier error prevents them. Read reports every error of every document, with
// file, line, document, kind, name and field.
//
// Four things differ, because there is no cluster: an object without a namespace is in
// "default"; the package never generates a name; it drops fields that a server sets
// (status, uid, resourceVersion and others), so that the output of `kubectl get -o yaml`
// is valid input; and it does not check whether the namespace exists.
//
// Start at Read. Validate and Default are for objects made in Go.
package manifest
