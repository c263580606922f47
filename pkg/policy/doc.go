// SPDX-License-Identifier: Apache-2.0

// Package policy declares the decision points of a serving cluster as small
// interfaces, and the views of state that a decision may see. A view holds
// what the real component would know at that moment and no more: metrics as
// they were last scraped, prompts but never true output lengths. The package
// knows nothing of the engine that calls it; implementations live in the
// packages below it, one policy a file.
package policy
