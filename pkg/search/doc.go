// SPDX-License-Identifier: Apache-2.0

// Package search chooses the points of a typed space to try next.
package search
