// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A target is what a link of a page leads to.
type target struct {
	// name is a path below the root of the repository.
	name string
	// fragment is the identifier of a heading; "" is the whole page.
	fragment string
}

// links visits the destinations of the links and images of a page which lead into the
// repository, and replaces them by what visit returns.
func (p *page) links(visit func(t target, line int) (string, error)) error {
	var faults []string
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		destination := destinationOf(n)
		if !entering || destination == nil {
			return ast.WalkContinue, nil
		}
		u, err := url.Parse(string(*destination))
		if err == nil && u.IsAbs() {
			return ast.WalkContinue, nil
		}
		line := p.line(*destination)
		if err == nil {
			var to string
			if to, err = visit(p.target(u), line); err == nil {
				*destination = []byte(to)
			}
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %v", p.name, line, err))
		}
		return ast.WalkContinue, nil
	})
	if len(faults) > 0 {
		return fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return nil
}

func destinationOf(n ast.Node) *[]byte {
	switch n := n.(type) {
	case *ast.Link:
		return &n.Destination
	case *ast.Image:
		return &n.Destination
	default:
		return nil
	}
}

// target resolves a link against the folder of its page.
func (p *page) target(u *url.URL) target {
	if u.Path == "" {
		return target{p.name, u.Fragment}
	}
	return target{path.Join(path.Dir(p.name), u.Path), u.Fragment}
}

// line is the line of the file that has a destination first: the tree has no lines of links.
func (p *page) line(destination []byte) int {
	before, _, _ := bytes.Cut(p.source, append([]byte("]("), destination...))
	return 1 + bytes.Count(before, []byte("\n"))
}

// resolve finds what a link leads to, and returns its path from the page. It adds files
// and pages that the site does not have yet.
func (s *site) resolve(p *page, t target) (string, error) {
	info, err := fs.Stat(s.root, t.name)
	if err != nil {
		return "", fmt.Errorf("there is no %s", t.name)
	}
	to := ""
	switch {
	case info.IsDir():
		to, err = s.addFolder(t.name)
	case path.Ext(t.name) == ".md":
		to, err = s.addPage(t)
	default:
		to, err = s.addFile(t.name)
	}
	if err != nil {
		return "", err
	}
	to = relative(p.path(), to)
	if t.fragment != "" {
		to += "#" + t.fragment
	}
	return to, nil
}

// relative is the path from one page of the site to another.
func relative(from, to string) string {
	// Both are below one root, so there is a path.
	rel, _ := filepath.Rel(path.Dir(from), to)
	return filepath.ToSlash(rel)
}
