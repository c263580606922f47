// SPDX-License-Identifier: Apache-2.0

// Package worker is what runs inside a Job's pod: it simulates one shard of a
// plan, writes the rows as immutable ConfigMaps whose names carry their
// digests, and reports these digests. It may create ConfigMaps and nothing
// else, and it never reads from the cluster: the plan and its inputs are
// mounted files. A shard that takes long says now and then how far it is, in
// ConfigMaps too. Told to stop, it writes and reports what it has by then.
// Running a shard again, even at the same time, writes the same objects again
// and is harmless.
package worker
