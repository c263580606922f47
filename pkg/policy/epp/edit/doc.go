// SPDX-License-Identifier: Apache-2.0

// Package edit changes a few places of a YAML text and leaves every other byte
// as it is written: comments, order, quotes and blanks. It knows where the nodes
// of a tree stand in the text, and what to cut or insert around them in block
// and in flow style.
package edit
