// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/internal/clip"
)

// Read reads samples: answers of Prometheus' HTTP API, one after the other, or CSV.
func Read(in io.Reader) (*Recording, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	r := &Recording{}
	first, err := firstByte(buffered)
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("there are no samples")
	case err != nil:
		return nil, err
	case first == '{':
		err = r.readAnswers(buffered)
	default:
		err = r.readCSV(buffered)
	}
	if err != nil {
		return nil, err
	}
	r.normalize()
	if _, _, ok := r.Span(); !ok {
		return nil, errors.New("there are no samples")
	}
	return r, nil
}

// firstByte is the first one that is no white space, and stays to be read.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			return b, in.UnreadByte()
		}
	}
}

// An answer is one of Prometheus' HTTP API to a query of a range.
type answer struct {
	Status    string `json:"status"`
	ErrorType string `json:"errorType,omitempty"`
	Error     string `json:"error,omitempty"`
	Data      struct {
		ResultType string         `json:"resultType"`
		Result     []answerSeries `json:"result"`
	} `json:"data"`
}

type answerSeries struct {
	Metric map[string]string `json:"metric"`
	Values []answerSample    `json:"values"`
}

// answerSample is [seconds since 1970, "value"].
type answerSample Sample

// UnmarshalJSON implements [json.Unmarshaler].
func (p *answerSample) UnmarshalJSON(raw []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(raw, &pair); err != nil {
		return err
	}
	var seconds float64
	var text string
	if len(pair) != 2 || json.Unmarshal(pair[0], &seconds) != nil || json.Unmarshal(pair[1], &text) != nil {
		return fmt.Errorf(`%s is no sample: must be [seconds, "value"]`, clipped(string(raw)))
	}
	value, err := parseValue(text)
	if err != nil {
		return err
	}
	p.At, err = milliseconds(seconds)
	p.Value = value
	return err
}

// MarshalJSON implements [json.Marshaler].
func (p answerSample) MarshalJSON() ([]byte, error) {
	seconds := strconv.FormatFloat(float64(p.At)/1000, 'f', -1, 64)
	return []byte("[" + seconds + `,"` + strconv.FormatFloat(p.Value, 'g', -1, 64) + `"]`), nil
}

// clipped is the beginning of a text for a message.
func clipped(text string) string {
	return clip.Text(text, 60)
}

func parseValue(text string) (float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is no value of a sample", clipped(text))
	}
	return value, nil
}

// lastSecond bounds the times of samples: they are of the years 1970 to 2500.
const lastSecond = 16725225600

func milliseconds(seconds float64) (int64, error) {
	if !(seconds >= 0 && seconds < lastSecond) {
		return 0, fmt.Errorf("%v is no time of a sample: must be in seconds since 1970", seconds)
	}
	return int64(math.Round(seconds * 1000)), nil
}

func (r *Recording) readAnswers(in io.Reader) error {
	decoder := json.NewDecoder(in)
	for n := 1; ; n++ {
		var a answer
		err := decoder.Decode(&a)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.As(err, new(*json.UnmarshalTypeError)) || err == nil && a.Status == "" {
			return errNoSamples
		}
		if err == nil {
			err = r.addAnswer(&a)
		}
		if err != nil {
			return fmt.Errorf("answer %d: %w", n, err)
		}
	}
}

// errNoSamples says what samples are of a file with other JSON.
var errNoSamples = errors.New("the file holds no samples: samples are answers of the HTTP API of Prometheus to query_range, or CSV with the columns time,metric,value")

// errNoMatrix says that an answer has no samples through time.
var errNoMatrix = errors.New("resultType must be matrix: query_range, or query with a range such as metric[6h]")

func (r *Recording) addAnswer(a *answer) error {
	switch {
	case a.Status == "error":
		return fmt.Errorf("it is an error of Prometheus: %s", clipped(a.Error))
	case a.Status != "success":
		return fmt.Errorf("status is %q: must be success, as in answers of Prometheus", clipped(a.Status))
	case a.Data.ResultType != "matrix":
		return errNoMatrix
	}
	for _, s := range a.Data.Result {
		metric := s.Metric["__name__"]
		if metric == "" {
			return errors.New("a series has no __name__: ask for metrics as they are, without functions")
		}
		labels := make(map[string]string, len(s.Metric))
		for name, value := range s.Metric {
			if name != "__name__" {
				labels[name] = value
			}
		}
		points := make([]Sample, len(s.Values))
		for i, p := range s.Values {
			points[i] = Sample(p)
		}
		r.add(metric, labels, points)
	}
	return nil
}

// csvColumns begin the header of a CSV file. Further columns are labels.
var csvColumns = [...]string{"time", "metric", "value"}

func (r *Recording) readCSV(in io.Reader) error {
	reader := csv.NewReader(in)
	reader.ReuseRecord = true
	header, err := reader.Read()
	if err != nil {
		return err
	}
	if len(header) < len(csvColumns) || [3]string(header[:3]) != csvColumns {
		return fmt.Errorf("%q is neither an answer of Prometheus nor the header of a CSV file: that begins with time,metric,value and has labels behind", clipped(header[0]))
	}
	names := append([]string{}, header[3:]...)
	at := map[string]int{}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.addRecord(record, names, at); err != nil {
			line, _ := reader.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// addRecord adds a line of a CSV file. at has the places of the series that there are.
func (r *Recording) addRecord(record, names []string, at map[string]int) error {
	when, err := parseTime(record[0])
	if err != nil {
		return err
	}
	value, err := parseValue(record[2])
	if err != nil {
		return err
	}
	if record[1] == "" {
		return errors.New("metric is empty")
	}
	s := Series{Metric: record[1], Labels: map[string]string{}}
	for i, name := range names {
		if text := record[3+i]; text != "" {
			s.Labels[name] = text
		}
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		r.Dropped++
		return nil
	}
	key := s.key()
	if _, known := at[key]; !known {
		at[key] = len(r.Series)
		r.Series = append(r.Series, s)
	}
	points := &r.Series[at[key]].Points
	*points = append(*points, Sample{when, value})
	return nil
}

// parseTime reads a time in seconds since 1970, or one such as 2026-01-05T08:00:00Z.
func parseTime(text string) (int64, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return milliseconds(seconds)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, fmt.Errorf("%q is no time: must be such as 2026-01-05T08:00:00Z, or seconds since 1970", clipped(text))
	}
	return milliseconds(float64(t.UnixMilli()) / 1000)
}
