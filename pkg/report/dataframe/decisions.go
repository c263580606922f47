// SPDX-License-Identifier: Apache-2.0

package dataframe

import (
	"io"

	"windtunnel.dev/windtunnel/pkg/result"
)

// rowGroupDecisions bounds the rows of a row group, and so what a writer holds in memory:
// some 3 KiB a row among 16 endpoints.
const rowGroupDecisions = 1 << 12

// NewDecisionWriter returns a table of decisions.
func NewDecisionWriter(w io.Writer) *Table[result.DecisionRow] {
	return newTable[result.DecisionRow](w, "decisions", rowGroupDecisions)
}
