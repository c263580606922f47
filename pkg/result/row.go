// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Row is the short result of one simulation: one point under one seed. It is
// what is stored, moved and used again.
type Row struct {
	// Key identifies the simulation.
	Key   string `json:"key"`
	Point int    `json:"point"`
	Seed  int64  `json:"seed"`
	// Metrics holds values by the metric's canonical text. A metric that
	// nothing was measured for is absent.
	Metrics map[string]float64 `json:"metrics"`
}

// NewRow returns the row of a document. It holds every metric of the registry
// over all requests, and extra ones. It panics where an extra metric has
// several labels and [Meta] did not name it.
func NewRow(d *Document, point int, extra []Metric) Row {
	row := Row{Key: d.Key, Point: point, Seed: d.Seed, Metrics: map[string]float64{}}
	for _, m := range append(registered(), extra...) {
		if m.Selector.labels() > 1 && d.group(m.Selector) == nil {
			panic(fmt.Sprintf("result: metric %s was not named when the document was made", m))
		}
		if value, ok := d.Value(m); ok {
			row.Metrics[m.String()] = value
		}
	}
	return row
}

// WriteRows writes rows in the order given, one JSON object a line, with
// sorted metrics: equal rows, equal bytes.
func WriteRows(w io.Writer, rows []Row) error {
	var b bytes.Buffer
	for i := range rows {
		line, err := json.Marshal(&rows[i])
		if err != nil {
			return fmt.Errorf("write row of point %d, seed %d: %w", rows[i].Point, rows[i].Seed, err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

// ReadRows reads what WriteRows wrote, and nothing else: a line that would not
// be written the same way again is an error, which names the line. Without an
// error, writing the rows gives the same bytes.
func ReadRows(r io.Reader) ([]Row, error) {
	b := bufio.NewReader(r)
	var rows []Row
	for number := 1; ; number++ {
		line, err := b.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return rows, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read rows: line %d: cut off", number)
		case err != nil:
			return nil, fmt.Errorf("read rows: line %d: %w", number, err)
		}
		row, err := readRow(line[:len(line)-1])
		if err != nil {
			return nil, fmt.Errorf("read rows: line %d: %w", number, err)
		}
		rows = append(rows, row)
	}
}

func readRow(line []byte) (Row, error) {
	if len(line) == 0 {
		return Row{}, errors.New("empty")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var row Row
	if err := d.Decode(&row); err != nil {
		return Row{}, err
	}
	if err := row.check(); err != nil {
		return Row{}, err
	}
	again, err := json.Marshal(&row)
	if err != nil {
		return Row{}, err
	}
	if !bytes.Equal(line, again) {
		return Row{}, fmt.Errorf("not in the form in which rows are written: spaces, repeated or unsorted keys, or other digits")
	}
	return row, nil
}

// check reports what no simulation could have given.
func (r *Row) check() error {
	switch {
	case r.Key == "":
		return fmt.Errorf("key is missing")
	case r.Point < 0:
		return fmt.Errorf("point %d is negative", r.Point)
	case r.Metrics == nil:
		return fmt.Errorf("metrics are missing")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		value := r.Metrics[name]
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("metric %s is %v", name, value)
		}
		m, errs := ParseMetric(name, field.NewPath("metrics"))
		if len(errs) > 0 {
			return errs.ToAggregate()
		}
		if m.String() != name {
			return fmt.Errorf("metric %s must be written %s", name, m)
		}
	}
	return nil
}
