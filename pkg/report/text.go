// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"
)

// A Text is what a person reads of results: tables, and below them sentences.
type Text struct {
	// Body is the tables and the sentences about these results; it ends with a newline.
	Body string
	// Legend explains the marks and columns of the tables, a line each. Several texts
	// may share lines.
	Legend []string
}

func newText(tables *bytes.Buffer, facts, legend []string) Text {
	for _, fact := range facts {
		fmt.Fprintln(tables, fact)
	}
	return Text{Body: tables.String(), Legend: legend}
}

// write prints the body and, below it, the legend.
func (t Text) write(w io.Writer) error {
	if _, err := io.WriteString(w, t.Body); err != nil {
		return err
	}
	for _, line := range t.Legend {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
