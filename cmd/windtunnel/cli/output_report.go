// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// Formats of reports.
const (
	HTML     Format = "html"
	Markdown Format = "markdown"
)

// CheckLimit checks the greatest number of characters that a flag gives a report.
func CheckLimit(flag string, most int, output Format) error {
	switch {
	case most < 0:
		return BadInput(fmt.Errorf("%s must not be negative", flag))
	case most > 0 && output != Markdown:
		return BadInput(fmt.Errorf("%s needs a report in Markdown", flag))
	}
	return nil
}

// Fitted is a report in a format with a maximum number of characters; 0 is no limit.
func (f Format) Fitted(p page.Report, most int) (string, error) {
	var text bytes.Buffer
	if err := f.WriteReport(&text, p); err != nil || most == 0 {
		return text.String(), err
	}
	short, err := report.Fit(text.String(), most)
	return short, BadInput(err)
}

// WriteReport writes a report in a format.
func (f Format) WriteReport(w io.Writer, p page.Report) error {
	switch f {
	case HTML:
		return p.Write(w)
	case JSON:
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(p.Numbers())
	default:
		return p.Markdown(w)
	}
}

// ReportFormat is that of a report in a file of a name: a page, or Markdown.
func ReportFormat(name string) Format {
	if filepath.Ext(name) == ".html" {
		return HTML
	}
	return Markdown
}

// WriteReportFile writes all of a report, or leaves no file.
func WriteReportFile(name string, text string) error {
	return BadInput(WriteWhole(name, Content([]byte(text))))
}

// ReportOf is the report of a study: with all of its candidates, or in Markdown with the best.
func ReportOf(st *study.Study, title string, format Format) (*report.Sweep, error) {
	keep := 0
	if format == Markdown {
		keep = advice.ReportedTop
	}
	return archive.Report(st, title, keep)
}
