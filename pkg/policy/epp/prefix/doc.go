// SPDX-License-Identifier: Apache-2.0

// Package prefix is the index of the EPP's approximate prefix cache: which endpoints
// may hold which blocks of a prompt, estimated from earlier routing decisions. It does
// not know plugins, versions or requests.
//
// An endpoint is its index in [0, endpoints), a prompt is a chain of stretches, and a
// size is a number of blocks. An [Index] is not safe for concurrent use. Start at
// [NewIndex].
package prefix
