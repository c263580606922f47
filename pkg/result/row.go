// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// RowsVersion says what rows hold in addition to the requested metrics. It is raised
// with each change of the registry's metrics after which stored rows lack a metric, or
// mean another one by its name. A metric that needs a new field of the scenario leaves
// it: the scenarios of stored rows do not have the field. So does one that is measured
// on demand: the keys of stored rows do not name it.
const RowsVersion = 2

// Row is the short result of one simulation: one point under one seed. It is
// what is stored, moved and used again.
type Row struct {
	// Object names what the row is of, in output about several objects; it is empty
	// in what is stored.
	Object string
	// Key identifies the simulation.
	Key   string
	Point int
	Seed  int64
	// Workload names the workload of a sweep that compares under several; empty
	// otherwise.
	Workload string
	// Share is how much of a full simulation's requests this one had, in (0, 1].
	// In JSON it is left out where it is 1.
	Share float64
	// RejectedBy counts the requests that were rejected by reason; nil where none
	// was. Rows of older engines lack it.
	RejectedBy Rejections
	// Decisions are those on its requests; rows of older versions lack them.
	Decisions Decisions
	// Metrics holds values by the metric's canonical text. A metric that
	// nothing was measured for is absent.
	Metrics Metrics
	// Error says in words why there is no result: then there are no metrics, and
	// the key may be missing too.
	Error string
	// ByMachine says that the error depends on the machine, as that of a program which took
	// more memory or time than a machine lets it have: the row is a result of its study, and
	// of no other one, where the simulation may come to its end.
	ByMachine bool
	// Lost says that the simulation did not end, for reasons that are not its own,
	// such as its machine's: Error says which. Nothing is known of its result, so
	// that such a row is never written.
	Lost bool
}

// rowJSON is a row as it is written.
type rowJSON struct {
	Object     string     `json:"object,omitempty"`
	Key        string     `json:"key"`
	Point      int        `json:"point"`
	Seed       int64      `json:"seed"`
	Workload   string     `json:"workload,omitempty"`
	Share      float64    `json:"share,omitzero"`
	RejectedBy Rejections `json:"rejectedBy,omitempty"`
	Decisions  Decisions  `json:"decisions,omitzero"`
	Metrics    *Metrics   `json:"metrics,omitempty"`
	Error      string     `json:"error,omitempty"`
	ByMachine  bool       `json:"byMachine,omitempty"`
}

// NewRow returns the row of a document. It holds every metric of the registry
// over all requests, and extra ones. It panics where an extra metric has
// several labels and [Meta] did not name it.
func NewRow(d *Document, point int, extra []Metric) Row {
	return Row{Key: d.Key, Point: point, Seed: d.Seed, Share: 1, RejectedBy: d.Overall.Requests.RejectedBy, Decisions: d.Decisions, Metrics: rowMetrics(d, extra)}
}

// RowOf is NewRow without a document: of its groups, only those are gathered that the metrics of m select.
func RowOf(o *simulator.Result, m Meta, point int) Row {
	return NewRow(newDocument(o, &m, m.selects), point, m.Metrics)
}

// rowMetrics are the metrics of a document's row.
func rowMetrics(d *Document, extra []Metric) Metrics {
	names, values := make([]string, 0, len(registered)+len(extra)), make([]float64, 0, len(registered)+len(extra))
	for i := range registered {
		if value, ok := registered[i].value(&d.Overall); ok {
			names, values = append(names, registered[i].text), append(values, value)
		}
	}
	for _, m := range extra {
		if m.Selector.labels() > 1 && d.Group(m.Selector) == nil {
			panic(fmt.Sprintf("result: metric %s was not named when the document was made", m))
		}
		text := m.String()
		if value, ok := d.Value(m); ok {
			if i, known := slices.BinarySearch(names, text); !known {
				names, values = slices.Insert(names, i, text), slices.Insert(values, i, value)
			}
		}
	}
	if len(names) == 0 {
		return Metrics{}
	}
	return sortedMetrics(names, slices.Clip(slices.Clone(values)))
}

// registered are the metrics of the registry over all requests, by their texts.
var registered = func() []registeredMetric {
	var all []registeredMetric
	for _, m := range RegisteredMetrics() {
		all = append(all, registeredMetric{m.String(), m.definition().value})
	}
	slices.SortFunc(all, func(a, b registeredMetric) int { return strings.Compare(a.text, b.text) })
	return all
}()

type registeredMetric struct {
	text  string
	value func(*Group) (float64, bool)
}

// MarshalJSON writes a row that a simulation can have given; others are errors.
func (r Row) MarshalJSON() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	out := rowJSON{Object: r.Object, Key: r.Key, Point: r.Point, Seed: r.Seed, Workload: r.Workload, RejectedBy: r.RejectedBy, Decisions: r.Decisions, Error: r.Error, ByMachine: r.ByMachine}
	if r.Share != 1 {
		out.Share = r.Share
	}
	if r.Error == "" {
		out.Metrics = &r.Metrics
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Row) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var in rowJSON
	if err := d.Decode(&in); err != nil {
		return err
	}
	if in.Metrics == nil && in.Error == "" {
		return errors.New("metrics are missing")
	}
	*r = Row{Object: in.Object, Key: in.Key, Point: in.Point, Seed: in.Seed, Workload: in.Workload, Share: cmp.Or(in.Share, 1), RejectedBy: in.RejectedBy, Decisions: in.Decisions, Error: in.Error, ByMachine: in.ByMachine}
	if in.Metrics != nil {
		r.Metrics = *in.Metrics
	}
	return r.check()
}

// Failed reports whether the simulation gave no result.
func (r *Row) Failed() bool { return r.Error != "" }

// check reports what no simulation could have given.
func (r *Row) check() error {
	switch {
	case r.Lost:
		return errors.New("the simulation was lost")
	case r.Key == "" && r.Error == "":
		return errors.New("key is missing")
	case r.Point < 0:
		return fmt.Errorf("point %d is negative", r.Point)
	case !(r.Share > 0 && r.Share <= 1):
		return fmt.Errorf("share %v is not in (0, 1]", r.Share)
	case r.Error != "" && r.Metrics.Len() > 0:
		return errors.New("the row has metrics and an error")
	case r.Error != "" && len(r.RejectedBy) > 0:
		return errors.New("the row has rejections and an error")
	case r.Error != "" && r.Decisions.Known():
		return errors.New("the row has decisions and an error")
	case r.Error == "" && r.ByMachine:
		return errors.New("byMachine is set without an error")
	}
	return nil
}

// WriteRows writes rows in the order given, one JSON object a line, with
// sorted metrics: equal rows, equal bytes.
func WriteRows(w io.Writer, rows []Row) error {
	var lines rowWriter
	return lines.write(w, rows)
}

// ReadRows reads what WriteRows wrote, and nothing else: a line that would not
// be written the same way again is an error, which names the line. Without an
// error, writing the rows gives the same bytes.
func ReadRows(r io.Reader) ([]Row, error) {
	b := bufio.NewReader(r)
	in := newRowReader()
	var rows []Row
	var line []byte
	for number := 1; ; number++ {
		var err error
		line, err = readLine(b, line[:0])
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return rows, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read rows: line %d: cut off", number)
		case err != nil:
			return nil, fmt.Errorf("read rows: line %d: %w", number, err)
		}
		row, err := in.read(line[:len(line)-1])
		if err != nil {
			return nil, fmt.Errorf("read rows: line %d: %w", number, err)
		}
		rows = append(rows, row)
	}
}

// readLine appends the next line with its line break.
func readLine(b *bufio.Reader, line []byte) ([]byte, error) {
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
