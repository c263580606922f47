// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

// A Cluster is what a scheduler is told of the endpoints that it chooses from.
// All of them serve the model that every request asks for.
type Cluster struct {
	// Endpoints is how many there are, numbered from 0.
	Endpoints int
	// Labels are those of the endpoints' pods, which do not change;
	// len == Endpoints, or nil where none has any. [Load] must have been told of
	// them by [Labelled].
	Labels []map[string]string
}

func (c *Cluster) check() {
	if c.Endpoints < 0 || c.Labels != nil && len(c.Labels) != c.Endpoints {
		panic(fmt.Sprintf("epp: %d endpoints with labels of %d", c.Endpoints, len(c.Labels)))
	}
}
