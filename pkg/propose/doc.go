// SPDX-License-Identifier: Apache-2.0

// Package propose asks an HTTP service for policies, on behalf of a search that evolves them.
// What the service answers is checked, and kept in a journal: a search that goes on asks no
// inquiry twice. Start at [Client].
package propose
