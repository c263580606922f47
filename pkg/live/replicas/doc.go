// SPDX-License-Identifier: Apache-2.0

// Package replicas lets simulated replicas follow the wall clock. A Pool takes requests as token
// ids, has the engines of package simulator serve them, and gives each token when its time has
// come. It knows nothing of HTTP and of tokenisers. New is the entry point.
package replicas
