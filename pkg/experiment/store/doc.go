// SPDX-License-Identifier: Apache-2.0

// Package store encodes results for ConfigMaps, each below 1 MiB, and the report that a Job
// leaves as its termination message. Equal results give equal bytes.
package store
