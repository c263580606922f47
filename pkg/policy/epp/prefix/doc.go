// SPDX-License-Identifier: Apache-2.0

// Package prefix is the index of the approximate prefix cache: which endpoints
// may hold which blocks of a prompt, as the EPP believes from where it sent
// requests. [NewIndex] makes an [Index].
//
// It knows nothing of plugins, versions or requests. An endpoint is its index in
// [0, endpoints), a prompt is a chain of stretches, and a size is a number of
// blocks. An Index is not safe for concurrent use.
package prefix
