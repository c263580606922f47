// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
)

// CheckHeader checks the first line of a text where the format has a header there, such as the
// names of columns. It reads no more of the text than a few kilobytes beyond that line, and returns
// the error of [ReadWith].
func CheckHeader(format Format, o Options, r io.Reader, name string) error {
	f, err := format.declaration()
	if err != nil || !f.header {
		return err
	}
	lines, err := newLineReader(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text, more, err := lines.next()
	if err == nil && more {
		var rec record
		_, err = f.newParser(o)(&rec, lines.n, text)
		err = atRow(lines.n, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
