// SPDX-License-Identifier: Apache-2.0

// Package edit changes a few places of a YAML text and keeps every other byte:
// comments, order, quotes and spaces. It finds the nodes of a tree in the text, and
// removes or inserts text around them in block and flow style.
package edit
