// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// WriteMooncake writes a generated trace of n requests in the Mooncake
// format, the same for the same n and seed. It is made for trying things out
// and copies the traits of recorded chat traffic that matter to policies: a
// batch of arrivals every 3 s or so, a handful of system prompts that many
// conversations begin with, and conversations that come back with all that
// was said before. Prompts have some 4 000 tokens in the mean and 32 768 at
// most, answers some 200; an unbounded cache serves about a third of the full
// blocks.
func WriteMooncake(w io.Writer, n int, seed int64) error {
	if n < 1 {
		return fmt.Errorf("a trace has at least 1 request, not %d", n)
	}
	out := bufio.NewWriter(w)
	g := newGenerator(seed)
	var line []byte
	for range n {
		line = appendMooncake(line[:0], g.next())
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendMooncake appends a row as the published traces write it.
func appendMooncake(line []byte, r mooncakeRow) []byte {
	number := func(key string, value uint64) {
		line = append(line, key...)
		line = strconv.AppendUint(line, value, 10)
	}
	line = append(line, '{')
	if !r.untimed {
		number(`"timestamp": `, r.timestamp)
		line = append(line, ", "...)
	}
	if r.session != "" {
		line = append(line, `"session_id": "`+plainName(r.session)+`", `...)
	}
	if r.delayed {
		number(`"delay": `, r.delay)
		line = append(line, ", "...)
	}
	number(`"input_length": `, r.input)
	number(`, "output_length": `, r.output)
	separator := `, "hash_ids": [`
	for _, id := range r.ids {
		number(separator, id)
		separator = ", "
	}
	return append(line, "]}\n"...)
}

// plainName returns a session's name as the format takes it, without escapes: one that
// needs some becomes another, the same for the same name.
func plainName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' }) {
		return name
	}
	return fmt.Sprintf("session-%016x", stats.HashString(name))
}
