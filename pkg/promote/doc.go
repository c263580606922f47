// SPDX-License-Identifier: Apache-2.0

// Package promote writes the EPP configuration of a candidate out as an edit of
// the file that the base configuration was given in: only the lines that must
// change do, and comments, order and quotes stay as they are. What it returns was
// loaded again and means exactly what was simulated.
package promote
