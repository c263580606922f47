// SPDX-License-Identifier: Apache-2.0

package experiment

import "strconv"

// Figure prints a number for a status: six significant digits.
func Figure(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
