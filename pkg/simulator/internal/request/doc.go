// SPDX-License-Identifier: Apache-2.0

// Package request is the record of a request in flight, which all rooms of the engine
// share: its phase, and what each room notes of it.
package request
