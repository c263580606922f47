// SPDX-License-Identifier: Apache-2.0

// Package fit finds clients that imitate a recorded trace: arrivals that follow its rate over
// time and are as bursty, its lengths, the prefix that its prompts share, and conversations
// whose prompts grow.
//
// [Trace] fits, and [Compare] holds an imitation against the trace.
package fit
