// SPDX-License-Identifier: Apache-2.0

// Package handoff hands the KV of prompts over, from the replicas that compute them to
// those that decode.
package handoff
