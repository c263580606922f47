// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// A Finding is what the linter says of a router's configuration that loads.
type Finding struct {
	Rule     string        `json:"rule"`
	Severity lint.Severity `json:"severity"`
	// Path is the object's field that holds the configuration, and the place in
	// that.
	Path    string `json:"path"`
	Message string `json:"message"`
}

// String is the finding in a line, without its severity.
func (f Finding) String() string { return fmt.Sprintf("%s: %s [%s]", f.Path, f.Message, f.Rule) }

// AtLeastWarning reports whether the finding is seldom meant, and not just worth knowing.
func (f Finding) AtLeastWarning() bool { return f.Severity.AtLeast(lint.Warning) }

// Remarks are the warnings and the findings, as text.
func (p *Plan) Remarks() []string {
	texts := slices.Clone(p.Warnings)
	for _, f := range p.Findings {
		texts = append(texts, f.String())
	}
	return texts
}
