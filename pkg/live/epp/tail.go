// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"sync"
)

// tailBytes is how much of a log is kept.
const tailBytes = 8 << 10

// tail keeps the end of what is written, from the beginning of a line on.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailBytes; over > 0 {
		if line := bytes.IndexByte(t.text[over:], '\n'); line >= 0 {
			over += line + 1
		}
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
