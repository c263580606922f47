// SPDX-License-Identifier: Apache-2.0

// Package promote writes the EPP configuration of a candidate as an edit of the file
// that has the base configuration. It changes only the necessary lines, and keeps
// comments, order and quotes. It loads the result again and returns it only if its
// meaning is exactly the simulated configuration. It does the same for the manifests of
// autoscalers.
package promote
