// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"unique"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

// rowWriter writes rows of which many share the values of their metrics.
type rowWriter struct {
	// texts are the JSON of metrics; nil remembers none.
	texts map[sharedMetrics][]byte
}

// sharedMetrics is equal of metrics that share names and values.
type sharedMetrics struct {
	names  unique.Handle[string]
	values *float64
}

// write is WriteRows.
func (w *rowWriter) write(to io.Writer, rows []Row) error {
	var b []byte
	for i := range rows {
		line, err := w.appendLine(b, &rows[i])
		if err != nil {
			return fmt.Errorf("write row of point %d, seed %d: %w", rows[i].Point, rows[i].Seed, err)
		}
		b = line
	}
	if _, err := to.Write(b); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

// maxKnownTexts bounds how many different metrics a writer remembers.
const maxKnownTexts = 256

// appendLine appends a row's JSON and a line break. The usual row has texts that need no
// escapes, and is written without reflection.
func (w *rowWriter) appendLine(b []byte, r *Row) ([]byte, error) {
	if !jsonline.IsPlain(r.Object) || !jsonline.IsPlain(r.Key) || !jsonline.IsPlain(r.Workload) || r.Error != "" || len(r.RejectedBy) > 0 || r.check() != nil {
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
	b, ok := w.appendMetrics(append(b, `,"metrics":`...), r.Metrics)
	if !ok {
		return r.appendAny(b[:before])
	}
	return append(b, "}\n"...), nil
}

// appendMetrics appends metrics as JSON, or returns false where one needs escapes or is no number.
func (w *rowWriter) appendMetrics(b []byte, m Metrics) ([]byte, bool) {
	if m.Len() == 0 {
		return append(b, "{}"...), true
	}
	shared := sharedMetrics{m.names, &m.values[0]}
	if text := w.texts[shared]; text != nil {
		return append(b, text...), true
	}
	before := len(b)
	for name, value := range m.All() {
		if !jsonline.IsPlain(name) || math.IsNaN(value) || math.IsInf(value, 0) {
			return b, false
		}
		b = jsonline.Number(append(jsonline.Text(append(b, ','), name), ':'), value)
	}
	b[before] = '{'
	b = append(b, '}')
	if len(w.texts) == maxKnownTexts {
		clear(w.texts)
	}
	if w.texts != nil {
		w.texts[shared] = bytes.Clone(b[before:])
	}
	return b, true
}

// appendAny appends any row as appendLine does.
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
