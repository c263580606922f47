// SPDX-License-Identifier: Apache-2.0

package page

import (
	"io"
)

// Report is a page with its other forms.
type Report interface {
	// Write writes the page.
	Write(w io.Writer) error
	// Markdown writes the same for a comment on a pull request.
	Markdown(w io.Writer) error
	// Numbers are those of the charts of the page, for JSON.
	Numbers() any
}

// Markdown implements [Report].
func (s *Sweep) Markdown(w io.Writer) error { return s.Report.Write(w) }

// Numbers implements [Report].
func (s *Sweep) Numbers() any { return s.data() }

// Markdown implements [Report].
func (r *Run) Markdown(w io.Writer) error { return r.Report.Write(w) }

// Numbers implements [Report].
func (r *Run) Numbers() any { return NewRunData(r.Report) }
