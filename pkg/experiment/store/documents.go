// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
)

// ReadDocuments returns the result documents in the chunks, in their order; none where
// rows alone are kept.
func ReadDocuments(chunks []Chunk) ([]*result.Document, error) {
	var all []*result.Document
	for _, c := range chunks {
		for lines := json.NewDecoder(strings.NewReader(c.Data[DocumentsKey])); ; {
			var d result.Document
			err := lines.Decode(&d)
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil && d.SchemaVersion != result.SchemaVersion {
				err = fmt.Errorf("schema version %q, this binary reads %q", d.SchemaVersion, result.SchemaVersion)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", DocumentsKey, err)
			}
			all = append(all, &d)
		}
	}
	return all, nil
}
