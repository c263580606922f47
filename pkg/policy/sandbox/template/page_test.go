// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/page"
)

// docs/policy-reference.md lists all templates with their parameters.
func TestThePageOnTemplates(t *testing.T) {
	page.Check(t, "../../../../docs/policy-reference.md", map[string]string{"templates": tables()})
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
