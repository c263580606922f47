// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"strconv"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

// appendLine appends the row's JSON and a line break. The usual row has texts that need no
// escapes, and is written without reflection.
func (r *Row) appendLine(b []byte) ([]byte, error) {
	if !isPlain(r.Object) || !isPlain(r.Key) || !isPlain(r.Workload) || r.Error != "" || len(r.RejectedBy) > 0 || r.check() != nil {
		return r.appendAny(b)
	}
	before := len(b)
	b = append(b, '{')
	if r.Object != "" {
		b = append(jsonline.Text(append(b, `"object":`...), r.Object), ',')
	}
	b = jsonline.Text(append(b, `"key":`...), r.Key)
	b = strconv.AppendInt(append(b, `,"point":`...), int64(r.Point), 10)
	b = strconv.AppendInt(append(b, `,"seed":`...), r.Seed, 10)
	if r.Workload != "" {
		b = jsonline.Text(append(b, `,"workload":`...), r.Workload)
	}
	if r.Share != 1 {
		b = jsonline.Number(append(b, `,"share":`...), r.Share)
	}
	if r.Decisions.Known() {
		b = r.Decisions.append(append(b, `,"decisions":`...))
	}
	b = append(b, `,"metrics":{`...)
	first := true
	for name, value := range r.Metrics.All() {
		if !isPlain(name) || math.IsNaN(value) || math.IsInf(value, 0) {
			return r.appendAny(b[:before])
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = jsonline.Number(append(jsonline.Text(b, name), ':'), value)
	}
	return append(b, "}}\n"...), nil
}

// appendAny is appendLine for any row.
func (r *Row) appendAny(b []byte) ([]byte, error) {
	line, err := r.MarshalJSON()
	return append(append(b, line...), '\n'), err
}

// append appends known decisions as JSON.
func (d *Decisions) append(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"requests":`...), d.Requests, 10)
	b = fmt.Appendf(b, `,"digest":"%016x"`, d.Digest)
	if lists := d.lists.Value(); lists != "{}" {
		return append(append(b, ','), lists[1:]...)
	}
	return append(b, '}')
}

// isPlain reports whether JSON has a text as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if !plain[text[i]] {
			return false
		}
	}
	return true
}
