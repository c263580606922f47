// SPDX-License-Identifier: Apache-2.0

// Package priority has the policies that state how important a request is when it
// arrives. A priority takes the place of the client's: the admission, the router's shedding
// and queues, and the engines' schedulers see it. One file has one policy. Start at
// [Load].
package priority
