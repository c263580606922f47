// SPDX-License-Identifier: Apache-2.0

package propose

import "windtunnel.dev/windtunnel/pkg/search"

// An Entry is what came of an inquiry. Together with the rows, the entries determine a search.
type Entry struct {
	Generation int `json:"generation"`
	Island     int `json:"island"`
	// Policies are those of the answer that can be used.
	Policies []Kept `json:"policies,omitempty"`
	// Dropped say why others cannot, and Error why there is no answer.
	Dropped []string `json:"dropped,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Kept is a policy of an answer.
type Kept struct {
	// Bundle is the document in canonical form.
	Bundle string `json:"bundle"`
	// Parent is the place of the parent in the inquiry.
	Parent int    `json:"parent"`
	Note   string `json:"note,omitempty"`
}

// place is what an entry is found by.
type place struct{ generation, island int }

// proposed are the policies as a search has them.
func (e *Entry) proposed() []search.Proposed {
	var all []search.Proposed
	for _, k := range e.Policies {
		note := "proposed"
		if k.Note != "" {
			note += ": " + k.Note
		}
		all = append(all, search.Proposed{Value: k.Bundle, Parent: k.Parent, Changes: []string{note}})
	}
	return all
}
