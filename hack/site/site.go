// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A site has the documentation, and what it links to in the repository.
type site struct {
	root fs.FS
	// pages are the Markdown files in the order in which they were found; byName finds
	// them.
	pages  []*page
	byName map[string]*page
	// files are shown as they are, and folders as lists.
	files, folders []string
}

// first are the pages outside docs that a reader may look for.
var first = []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}

// load reads the pages and all that they link to.
func load(root fs.FS) (*site, error) {
	s := &site{root: root, byName: map[string]*page{}}
	names := slices.Clone(first)
	err := fs.WalkDir(root, "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := s.addPage(target{name: name}); err != nil {
			return nil, err
		}
	}
	return s, errors.Join(s.link(), s.checkTables(), s.checkContents())
}

// checkTables looks at the tables of all pages.
func (s *site) checkTables() error {
	var faults []error
	for _, p := range s.pages {
		faults = append(faults, p.checkTables())
	}
	return errors.Join(faults...)
}

// link resolves the links of all pages; a page may add others behind it.
func (s *site) link() error {
	var faults []error
	for i := 0; i < len(s.pages); i++ {
		p := s.pages[i]
		faults = append(faults, p.links(func(t target, _ int) (string, error) { return s.resolve(p, t) }))
	}
	return errors.Join(faults...)
}

// addPage returns the path of a page, after it has read the page if it is new.
func (s *site) addPage(t target) (string, error) {
	p := s.byName[t.name]
	if p == nil {
		source, err := fs.ReadFile(s.root, t.name)
		if err != nil {
			return "", err
		}
		if p, err = parse(t.name, source); err != nil {
			return "", err
		}
		s.pages, s.byName[t.name] = append(s.pages, p), p
	}
	if t.fragment != "" && !p.has(t.fragment) {
		return "", fmt.Errorf("%s has no heading #%s", t.name, t.fragment)
	}
	return p.path(), nil
}

// pictures are shown by a browser; other files are text in a page of their own.
var pictures = []string{".svg", ".png"}

func isPicture(name string) bool { return slices.Contains(pictures, path.Ext(name)) }

// addFile returns the path of a file on the site.
func (s *site) addFile(name string) (string, error) {
	if !slices.Contains(s.files, name) {
		s.files = append(s.files, name)
	}
	if isPicture(name) {
		return name, nil
	}
	return "files/" + name + ".html", nil
}

// addFolder returns the path of the list of a folder, with all that it has.
func (s *site) addFolder(name string) (string, error) {
	list := "files/" + name + "/index.html"
	if slices.Contains(s.folders, name) {
		return list, nil
	}
	s.folders = append(s.folders, name)
	entries, err := fs.ReadDir(s.root, name)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if _, err := s.add(path.Join(name, e.Name()), e.IsDir()); err != nil {
			return "", err
		}
	}
	return list, nil
}

func (s *site) add(name string, folder bool) (string, error) {
	switch {
	case folder:
		return s.addFolder(name)
	case strings.HasSuffix(name, ".md"):
		return s.addPage(target{name: name})
	default:
		return s.addFile(name)
	}
}
