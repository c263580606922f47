// SPDX-License-Identifier: Apache-2.0

package scheduling

// FCFS is first come, first served; the request that was admitted last gives way. It
// is what vLLM does by default (--scheduling-policy fcfs).
func FCFS() Scheduler { return Scheduler{} }
