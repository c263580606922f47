// SPDX-License-Identifier: Apache-2.0

// Package kubectl has what `kubectl windtunnel` shows of the objects of a cluster: which ones need
// attention, how far one is, why its gates do not pass, which requests are the reason, and what the
// pods of its shards log. It reads the cluster and never writes.
package kubectl
