// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// csvLog reads the lines of a CSV log.
type csvLog struct {
	fields  int
	columns [len(logFields)]int // where logFields are; fields is 0 before the header
}

func (c *csvLog) parse(_ int, text []byte) (row logRow, ok bool, err error) {
	words := strings.Split(string(text), ",")
	if c.fields == 0 {
		return row, false, c.header(words)
	}
	if len(words) != c.fields {
		return row, false, fmt.Errorf("must have the %d fields of the header, got %d", c.fields, len(words))
	}
	for i, value := range row.values() {
		v, err := strconv.ParseFloat(strings.TrimSpace(words[c.columns[i]]), 64)
		if err != nil {
			return row, false, fmt.Errorf("%s: must be a number, got %q", logFields[i], words[c.columns[i]])
		}
		*value = &v
	}
	return row, true, nil
}

func (c *csvLog) header(words []string) error {
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	for i, field := range logFields {
		c.columns[i] = slices.Index(words, field)
		if c.columns[i] < 0 {
			return fmt.Errorf("the header must name %s, got %q", field, strings.Join(words, ","))
		}
	}
	c.fields = len(words)
	return nil
}
