// SPDX-License-Identifier: Apache-2.0

// Package study has the shared code of the studies: it runs many simulations on all
// cores and writes a page with tables and a chart.
package study
