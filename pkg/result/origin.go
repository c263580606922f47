// SPDX-License-Identifier: Apache-2.0

package result

import "fmt"

// Origin says how a policy came about that a search made.
type Origin struct {
	// Generation and Island number, from 0, where the search proposed it.
	Generation int `json:"generation"`
	Island     int `json:"island,omitempty"`
	// Parent is the policy that it was made of; empty of the first one. Changes say how it
	// differs.
	Parent  string   `json:"parent,omitempty"`
	Changes []string `json:"changes,omitempty"`
}

// Title names a candidate: its parameters, and where a search made its policy, the generation of it.
func (c *Ranked) Title() string {
	if c.Origin == nil || c.Origin.Parent == "" {
		return c.Name()
	}
	return fmt.Sprintf("%s of generation %d", c.Name(), c.Origin.Generation)
}
