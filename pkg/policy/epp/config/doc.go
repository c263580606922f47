// SPDX-License-Identifier: Apache-2.0

// Package config follows the EPP's loader step by step: [Judge] decodes a document,
// makes plugins, fills in defaults and checks references, and reports what the EPP of
// that version would report, in its order. The result is a [Config]: the document with
// all defaults spelled out, immutable from then on.
//
// The package does not know the plugins: a [Registry] of their types is given to it.
// What an instance does to a request is in package scheduler.
package config
