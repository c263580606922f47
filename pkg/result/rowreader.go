// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unique"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxKnownRests bounds how many different results a reader remembers.
const maxKnownRests = 256

// rowReader reads rows of which many have the same metrics.
type rowReader struct {
	// rests are rows by what follows their seeds: points of a fine grid behave alike.
	rests map[string]Row
	// known holds the lists of names that are all of metrics, and sorted.
	known map[string]unique.Handle[string]
	// names and values are those of the row under way.
	names  []byte
	values []float64
}

func newRowReader() *rowReader {
	return &rowReader{rests: map[string]Row{}, known: map[string]unique.Handle[string]{}}
}

// read reads a line. What is not plainly a row as rows are written goes a way
// that is over ten times as long and finds the words for what is wrong with it.
func (in *rowReader) read(line []byte) (Row, error) {
	if row, ok := in.readPlain(line); ok {
		return row, nil
	}
	return in.readAny(line)
}

// readPlain reads a row whose texts need no escapes, or returns false.
func (in *rowReader) readPlain(line []byte) (Row, bool) {
	l := rowLine{rest: line}
	l.skip(`{"key":"`)
	key := string(l.plainText())
	l.skip(`,"point":`)
	point := int(l.integer())
	l.skip(`,"seed":`)
	seed := l.integer()
	if l.other {
		return Row{}, false
	}
	row, ok := in.rests[string(l.rest)]
	if !ok {
		if row, ok = in.readRest(l); !ok {
			return Row{}, false
		}
		if len(in.rests) == maxKnownRests {
			clear(in.rests)
		}
		in.rests[string(l.rest)] = row
	}
	row.Key, row.Point, row.Seed = key, point, seed
	return row, row.check() == nil
}

// readRest reads what follows a row's seed.
func (in *rowReader) readRest(l rowLine) (Row, bool) {
	row := Row{Share: 1}
	if l.has(`,"workload":"`) {
		row.Workload = string(l.plainText())
		l.other = l.other || row.Workload == ""
	}
	if l.has(`,"share":`) {
		row.Share = l.number()
		l.other = l.other || row.Share == 1
	}
	if l.has(`,"rejectedBy":{`) {
		row.RejectedBy = readRejections(&l)
	}
	if l.has(`,"decisions":{`) {
		row.Decisions = readDecisions(&l)
	}
	switch {
	case l.has(`,"error":"`):
		row.Error = string(l.plainText())
		l.other = l.other || row.Error == ""
	default:
		l.skip(`,"metrics":{`)
		row.Metrics = in.readMetrics(&l)
	}
	l.skip(`}`)
	return row, !l.other && len(l.rest) == 0
}

// readMetrics reads the members of an object and its end.
func (in *rowReader) readMetrics(l *rowLine) Metrics {
	if l.has(`}`) {
		return Metrics{}
	}
	in.names, in.values = append(in.names[:0], '\n'), in.values[:0]
	for more := true; more && !l.other; more = l.has(`,`) {
		l.skip(`"`)
		in.names = append(append(in.names, l.plainText()...), '\n')
		l.skip(`:`)
		in.values = append(in.values, l.number())
	}
	l.skip(`}`)
	names, ok := in.known[string(in.names)]
	if !ok && !l.other {
		names, ok = in.learn()
	}
	if !ok {
		l.other = true
		return Metrics{}
	}
	return Metrics{names: names, values: slices.Clone(in.values)}
}

// readRejections reads the members of an object that has some, and its end.
func readRejections(l *rowLine) Rejections {
	rejected, last := Rejections{}, ""
	for more := true; more && !l.other; more = l.has(`,`) {
		l.skip(`"`)
		name := string(l.plainText())
		l.skip(`:`)
		rejected[name] = l.integer()
		l.other = l.other || name <= last // not sorted, as rows are written
		last = name
	}
	l.skip(`}`)
	return rejected
}

// learn adds the names of the row under way to those known, or returns false
// where they are not sorted, each once, and canonical texts of metrics.
func (in *rowReader) learn() (unique.Handle[string], bool) {
	names := strings.Split(string(in.names[1:len(in.names)-1]), "\n")
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		return unique.Handle[string]{}, false
	}
	handle := unique.Make(string(in.names))
	if checkNames(Metrics{names: handle, values: in.values}) != nil {
		return unique.Handle[string]{}, false
	}
	in.known[handle.Value()] = handle
	return handle, true
}

// readAny reads any row and tells what is wrong with a line that is none.
func (in *rowReader) readAny(line []byte) (Row, error) {
	if len(line) == 0 {
		return Row{}, errors.New("empty")
	}
	var row Row
	if err := row.UnmarshalJSON(line); err != nil {
		return Row{}, err
	}
	if err := checkNames(row.Metrics); err != nil {
		return Row{}, err
	}
	again, err := row.MarshalJSON()
	if err != nil {
		return Row{}, err
	}
	if !bytes.Equal(line, again) {
		return Row{}, errors.New("not in the form in which rows are written: spaces, repeated or unsorted keys, or other digits")
	}
	return row, nil
}

// checkNames reports names that are not canonical texts of metrics.
func checkNames(metrics Metrics) error {
	for name := range metrics.All() {
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
