// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A section is what follows a heading of a page: what the search finds.
type section struct {
	Link  string `json:"link"`
	Page  string `json:"page"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// sections are those of a page, in order.
func (p *page) sections() []section {
	var all []section
	at := -1
	for n := range children(p.tree) {
		if _, is := n.(*ast.Heading); is {
			at++
			h := p.headings[at]
			link := p.path()
			if at > 0 {
				link += "#" + h.id
			}
			all = append(all, section{Link: link, Page: p.title, Title: h.text})
			continue
		}
		if at < 0 {
			continue // a comment before the title
		}
		if words := plain(n, p.source); words != "" {
			all[at].Text = strings.TrimSpace(all[at].Text + " " + words)
		}
	}
	return all
}

// index is the script that gives the search its sections. A script, and not JSON, so that a
// page can load it from a folder without a server.
func (s *site) index() ([]byte, error) {
	var all []section
	for _, p := range s.pages {
		all = append(all, p.sections()...)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("globalThis.sections = "), raw...), ";\n"...), nil
}
