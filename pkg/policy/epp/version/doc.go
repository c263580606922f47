// SPDX-License-Identifier: Apache-2.0

// Package version lists the releases of the EPP and says which of them has a plugin
// type or a field. A [Dialect] is one version: the release of the framework that it is
// built on, and the release of llm-d's own additions.
package version
