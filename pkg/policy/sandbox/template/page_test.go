// SPDX-License-Identifier: Apache-2.0

package template

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updatePage = flag.Bool("update", false, "write the tables of docs/bundles.md")

// docs/bundles.md lists all templates with their parameters.
func TestThePageOnTemplates(t *testing.T) {
	const name, begin, end = "../../../../docs/bundles.md", "<!-- templates -->\n", "<!-- end -->"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("the page lacks %q or %q", begin, end)
	}
	want := before + begin + tables() + end + after
	if *updatePage {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/bundles.md is not what the templates say; run go test ./pkg/policy/sandbox/template -run TestThePage -update\n(−want +got):\n%s", diff)
	}
}

func tables() string {
	var b strings.Builder
	b.WriteString("\n| template | component | decides |\n|---|---|---|\n")
	for _, t := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.Component, t.Help)
	}
	b.WriteString("\n| template | parameter | default | from | to | scale | meaning |\n|---|---|---|---|---|---|---|\n")
	for _, t := range All() {
		for i := range t.Parameters {
			p := &t.Parameters[i]
			scale := string(p.Scale)
			if p.Whole {
				scale += ", whole numbers"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s | %s | %s |\n", t.Name, p.Name, number(p.Default), number(p.Min), number(p.Max), scale, p.Help)
		}
	}
	b.WriteString("\n")
	return b.String()
}
