// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A chapter is a group of pages in the list next to each page.
type chapter struct {
	Title string
	// names are those of files below docs, without .md.
	names []string
}

// contents lists each page of docs once. Decisions follow, by their numbers.
var contents = []chapter{
	{"Tutorials", []string{
		"tasks/first-verdict", "first-sweep", "tasks/roll-out-check", "tasks/what-if", "tasks/from-manifests", "tasks/own-trace", "tasks/capacity", "tasks/compare-policies", "tasks/autoscaler", "tasks/pull-request-gate",
	}},
	{"Sweeps and results", []string{
		"sweeps", "canary", "explain", "reports", "series", "traces", "data-frames", "benchmark-report", "statistics",
	}},
	{"Workloads", []string{"workloads", "presets", "profiles", "request-types", "trace-sessions", "trace-fit"}},
	{"Policies", []string{
		"epp", "lint", "policies", "bundles", "admission", "scheduling", "speculation",
		"autoscaling",
	}},
	{"Live", []string{"live", "rehearse"}},
	{"Reference", []string{"api", "reference", "conditions", "trace-formats", "command", "metrics", "policy-reference", "policy-abi", "autoscaling-reference", "catalogue", "contracts"}},
	{"Operations", []string{"install", "kubectl", "dashboard", "gates", "operations", "security", "attacks", "reliability", "cluster", "release"}},
	{"Accuracy and speed", []string{"accuracy", "validation", "calibrate", "observe", "performance"}},
	{"Studies", []string{
		"studies/README", "studies/affinity", "studies/adaptive", "studies/autoscaling-study", "studies/disaggregation", "studies/tiers",
		"studies/fairness", "studies/stability", "studies/search", "studies/evolution-study", "studies/capacity", "studies/step-times", "studies/distributions",
	}},
}

const decisions = "docs/adr/"

// checkContents compares the list of contents with the pages that there are.
func (s *site) checkContents() error {
	listed := map[string]int{"README": 1}
	for _, c := range contents {
		for _, name := range c.names {
			listed[name]++
		}
	}
	var faults []string
	for _, p := range s.pages {
		name, below := strings.CutPrefix(strings.TrimSuffix(p.name, ".md"), "docs/")
		if !below || strings.HasPrefix(p.name, decisions) {
			continue
		}
		if listed[name] != 1 {
			faults = append(faults, fmt.Sprintf("contents.go lists %s %d times, want once", p.name, listed[name]))
		}
		delete(listed, name)
	}
	for name := range listed {
		faults = append(faults, fmt.Sprintf("contents.go lists docs/%s.md, which does not exist", name))
	}
	if len(faults) == 0 {
		return nil
	}
	slices.Sort(faults)
	return fmt.Errorf("%s", strings.Join(faults, "\n"))
}

// An entry is a link in a list of pages.
type entry struct {
	Label, Link string
	Here        bool
}

// A menu is a chapter as a page shows it.
type menu struct {
	Title   string
	Entries []entry
	// Open is whether the page is one of the entries.
	Open bool
}

// menus are the contents, seen from a path of the site.
func (s *site) menus(from string) []menu {
	var all []menu
	for _, c := range contents {
		m := menu{Title: c.Title}
		for _, name := range c.names {
			m.add(s.byName["docs/"+name+".md"], from)
		}
		all = append(all, m)
	}
	last := menu{Title: "Decisions"}
	for _, p := range s.pages {
		if strings.HasPrefix(p.name, decisions) && path.Ext(p.name) == ".md" {
			last.add(p, from)
		}
	}
	return append(all, last)
}

func (m *menu) add(p *page, from string) {
	e := entry{Label: p.label(), Link: relative(from, p.path()), Here: p.path() == from}
	m.Entries, m.Open = append(m.Entries, e), m.Open || e.Here
}
