// SPDX-License-Identifier: Apache-2.0

// Package doctor looks for what keeps Windtunnel from working on a machine or on a cluster: rights,
// definitions of another version, a manager that is not ready, quotas and policies that refuse
// worker pods. Each check says in a sentence what it found, and which command mends it. It reads and
// never writes.
package doctor
