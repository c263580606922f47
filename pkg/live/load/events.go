// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxEventBytes bounds an event of an answer.
const maxEventBytes = 1 << 20

// events reads the events of a stream (text/event-stream).
type events struct {
	in  *bufio.Reader
	raw []byte
}

func newEvents(in io.Reader) *events { return &events{in: bufio.NewReaderSize(in, 16<<10)} }

// next returns the next event as it came, which is valid until the next call, or io.EOF.
func (e *events) next() ([]byte, error) {
	e.raw = e.raw[:0]
	for {
		line, err := e.in.ReadSlice('\n')
		e.raw = append(e.raw, line...)
		switch {
		case len(e.raw) > maxEventBytes:
			return nil, fmt.Errorf("an event of the answer has more than %d bytes", maxEventBytes)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(e.raw)) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) == 0 && len(bytes.TrimSpace(e.raw)) > 0:
			return e.raw, nil
		}
	}
}

// part is what an event says of an answer.
type part struct {
	Choices []struct {
		Text  string `json:"text"`
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	Details          *struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// text is the part of the answer, and ends says that it is the last one.
func (p *part) text() (text string, ends bool) {
	if len(p.Choices) == 0 {
		return "", false
	}
	c := &p.Choices[0]
	return c.Text + c.Delta.Content, c.FinishReason != nil
}

// parseEvent reads an event; done is that of the end of the stream.
func parseEvent(raw []byte) (p part, done bool, err error) {
	for line := range bytes.Lines(raw) {
		data, is := bytes.CutPrefix(line, []byte("data:"))
		if !is {
			continue
		}
		if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
			return p, true, nil
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return p, false, fmt.Errorf("an event of the answer is not JSON: %w", err)
		}
	}
	if p.Error != nil {
		return p, false, fmt.Errorf("the server ends the answer: %s", p.Error)
	}
	return p, false, nil
}
