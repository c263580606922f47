// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// RecogniseFormat tells a trace's format by its first line, and returns a reader
// of the whole text, decompressed. What is of no known format is an error that
// names the formats and how they begin.
func RecogniseFormat(r io.Reader, name string) (Format, io.Reader, error) {
	text, err := decompressed(r)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	whole := bufio.NewReaderSize(text, 4096)
	start, err := whole.Peek(len(azureHeader))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("%s: read: %w", name, err)
	}
	switch first := string(start); {
	case strings.HasPrefix(first, azureTimestamp):
		return Azure, whole, nil
	case strings.HasPrefix(strings.TrimLeft(first, " "), "{"):
		return Mooncake, whole, nil
	default:
		return "", nil, fmt.Errorf("%s: begins with %.40q, like no format that is known: %s is CSV that begins with %s, %s has a JSON object with timestamp, input_length, output_length and hash_ids on each line", name, first, Azure, azureHeader, Mooncake)
	}
}
