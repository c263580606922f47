// SPDX-License-Identifier: Apache-2.0

package workload

// group is the copies of a client that share one arrival process, or that are users of closed
// loops. Each copy begins to exist with its first request, so that the memory of a group is
// that of its active members.
type group struct {
	spec      *Client
	labels    labelled
	picker    *clientPicker // nil where there are no arrivals
	reactions *reactions    // nil where no request waits for an answer
}

// newGroup returns the group of a client whose copies begin one by one; nil for another.
func newGroup(c *Client, l labelled, r *reactions, seed int64) *group {
	if c.Copies == nil {
		return nil
	}
	return &group{c, l, newClientPicker(c, seed), r}
}

// hasOwnArrivals reports whether each copy of the client has an arrival process.
func (c *Client) hasOwnArrivals() bool {
	return c.Copies != nil && c.Copies.SharedArrivals == "" && c.ClosedLoop == nil
}
