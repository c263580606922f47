// SPDX-License-Identifier: Apache-2.0

// Package worker is the program in the pod of a Job: it simulates one shard of a plan
// and writes the rows as immutable ConfigMaps. It never reads from the cluster and
// creates nothing but ConfigMaps.
//
// Before a round, such a pod may ask a service for policies that a search tries: Propose.
//
// The plan and its inputs are mounted files. The names of the ConfigMaps contain their
// digests, which the worker reports. A long shard also writes its progress as ConfigMaps.
// If the worker is stopped, it writes and reports the rows that are complete. A shard can
// run again, also at the same time, and writes the same objects.
package worker
