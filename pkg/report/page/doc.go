// SPDX-License-Identifier: Apache-2.0

// Package page writes results as pages that a browser shows: one HTML file each, with its
// styles, its charts and their numbers in it. A page asks the network for nothing: its content
// security policy forbids that. Text of users reaches a page by html/template alone.
//
// Each chart has a table with its numbers, which readers without scripts, and those
// who do not see charts, read in its place.
package page
