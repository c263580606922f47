// SPDX-License-Identifier: Apache-2.0

// Package measure counts what happens in a run: the figures of requests by cell, the use of
// replicas, and what is followed through time. It receives values before they change, and
// asks nothing of the other rooms.
package measure
