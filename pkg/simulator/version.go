// SPDX-License-Identifier: Apache-2.0

package simulator

// EngineVersion names the behaviour of the simulator. It changes whenever the
// same scenario and seed give other results, be it by the engine, by a policy or
// by how a scenario becomes a Config, and only then: results carry it in their
// key, so that rows of two behaviours are never mixed.
const EngineVersion = "7"
