// SPDX-License-Identifier: Apache-2.0

// Package gate serves verdicts of runs and sweeps to programs that roll out: as JSON to readers
// whom the cluster knows, and as yes or no to webhooks of Flagger, which have no identity.
//
// Answers come from the stored status alone. They are read from the API server and not from the
// manager's cache: a cache that lags behind holds the verdict of the spec before, and a rollout
// would take it for that of the present one.
package gate
