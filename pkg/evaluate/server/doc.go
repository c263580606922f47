// SPDX-License-Identifier: Apache-2.0

// Package server answers questions about policies over HTTP, in JSON:
//
//	POST /v1/evaluate           the answer for one scenario and seed
//	POST /v1/evaluate_examples  the answers for several
//	POST /v1/validate           whether a policy has faults
//	GET  /v1/status             the budget, the cache and what runs
//	GET  /v1/task               the scenarios and what scores a policy
//
// A budget bounds the simulations, and slots bound how many run at once. Answers are kept, as
// far as memory for them goes. There is no authentication.
package server
