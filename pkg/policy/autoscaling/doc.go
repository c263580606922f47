// SPDX-License-Identifier: Apache-2.0

// Package autoscaling decides how many replicas the pools of a cluster have. A [Scaler]
// reads what a monitoring system scraped ([Monitor]) and which replicas there are
// ([View]), and states how many replicas each pool of its unit is to have. It does not
// know the engine that calls it, which starts and drains replicas. A [Trigger] has it
// asked between its regular times. One file has one policy, or one trigger.
//
// Start at [Load], which reads a policy's name and parameters.
package autoscaling
