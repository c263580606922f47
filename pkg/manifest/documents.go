// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A document is one of a stream's.
type document struct {
	// line is where it starts, counted from 1.
	line int
	// text is the document. YAML is preceded by as many line ends as there are
	// lines before it, so that a parser's line numbers are those of the file.
	text []byte
	json bool
}

// byteOrderMark is written by some Windows editors, and is no part of YAML.
var byteOrderMark = []byte("\xef\xbb\xbf")

// split cuts a stream into documents: JSON objects one after the other, or YAML
// between separators. YAML documents may be empty.
func split(text []byte) ([]document, error) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if docs, ok := splitJSON(text); ok {
		return docs, nil
	}
	return splitYAML(text)
}

// splitJSON reports false where the stream is not JSON from end to end. A flow
// mapping of YAML also begins with a brace, which is why the reader does not guess.
func splitJSON(text []byte) ([]document, bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var docs []document
	for decoder.More() {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, false
		}
		before := text[:decoder.InputOffset()-int64(len(raw))]
		docs = append(docs, document{line: 1 + bytes.Count(before, []byte("\n")), text: raw, json: true})
	}
	return docs, true
}

const separator = "---"

// splitYAML takes a line that begins with the separator for one, as kubectl
// does: nothing but a comment may follow on that line.
func splitYAML(text []byte) ([]document, error) {
	var docs []document
	start, line, first := 0, 1, 1
	add := func(end int) {
		padded := append(bytes.Repeat([]byte("\n"), first-1), text[start:end]...)
		docs = append(docs, document{line: first, text: padded})
	}
	for at := 0; at < len(text); line++ {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if after, ok := strings.CutPrefix(string(text[at:end]), separator); ok {
			after = strings.TrimSpace(after)
			if after != "" && after[0] != '#' {
				return nil, fmt.Errorf("line %d: only a comment may follow the separator %s, not %q", line, separator, after)
			}
			add(at)
			start, first = end, line+1
		}
		at = end
	}
	add(len(text))
	return docs, nil
}
