// SPDX-License-Identifier: Apache-2.0

// Package execute simulates in this process: any range of a round's simulations, with
// progress, recorded requests and explained decisions. Results do not depend on the number
// of cores, nor on which simulations share a process.
package execute
