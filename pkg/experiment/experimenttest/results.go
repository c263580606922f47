// SPDX-License-Identifier: Apache-2.0

package experimenttest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// RowsAndDocuments returns the rows of simulations, and their documents, which those of
// sweeps lack.
func RowsAndDocuments(simulations []experiment.Simulation) ([]result.Row, []*result.Document) {
	rows := make([]result.Row, len(simulations))
	var documents []*result.Document
	for i, s := range simulations {
		rows[i] = s.Row
		if s.Document != nil {
			documents = append(documents, s.Document)
		}
	}
	return rows, documents
}

// EncodeRows returns the rows of simulations as they are stored.
func EncodeRows(t testing.TB, simulations []experiment.Simulation) string {
	t.Helper()
	rows, _ := RowsAndDocuments(simulations)
	var b bytes.Buffer
	if err := result.WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A DecisionLine has the seed of a line of a kept trace. Record is the kind of a record at level
// Full, and Request the request that it is about; a decision has its own in an object.
type DecisionLine struct {
	Seed    int64
	Record  string
	Request int64
}

// DecisionLines decodes kept decisions: compressed lines of JSON.
func DecisionLines(t testing.TB, packed []byte) []DecisionLine {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var lines []DecisionLine
	for d := json.NewDecoder(z); d.More(); {
		var line struct {
			Seed    int64
			Record  string
			Request json.RawMessage
		}
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		request, _ := strconv.ParseInt(string(line.Request), 10, 64)
		lines = append(lines, DecisionLine{line.Seed, line.Record, request})
	}
	return lines
}
