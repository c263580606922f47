// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
)

// Write writes a recording as an answer of Prometheus.
func (r *Recording) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	if _, err := out.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`); err != nil {
		return err
	}
	for i := range r.Series {
		s := &r.Series[i]
		shown := answerSeries{Metric: map[string]string{"__name__": s.Metric}}
		maps.Copy(shown.Metric, s.Labels)
		for _, p := range s.Points {
			shown.Values = append(shown.Values, answerSample(p))
		}
		raw, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		separator := ",\n"
		if i == 0 {
			separator = "\n"
		}
		if _, err := out.WriteString(separator + string(raw)); err != nil {
			return err
		}
	}
	if _, err := out.WriteString("\n]}}\n"); err != nil {
		return err
	}
	return out.Flush()
}
