// SPDX-License-Identifier: Apache-2.0

package simulator

// EngineVersion names the behaviour of the engine. It changes whenever the
// same Config gives other results, and only then: results carry it in their
// key, so that rows of two behaviours are never mixed.
const EngineVersion = "2"
