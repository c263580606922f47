// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"
)

// ofShare returns rows of shortened simulations.
func ofShare(share float64, rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Share = share
	}
	return rows
}

func TestTheDigestIsOfTheSortedLines(t *testing.T) {
	full := append(makeRows(2, ttft99(3, 1)...), makeRows(10, ttft99(2)...)...)
	short := ofShare(0.25, makeRows(2, ttft99(7, 8)...))
	var b bytes.Buffer
	if err := WriteRows(&b, slices.Concat(short, full)); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	want := hex.EncodeToString(sum[:])

	rows := slices.Concat(full, short, full[1:2])
	for range rows {
		rows = append(rows[1:], rows[0])
		before := slices.Clone(rows)
		got, err := RowsDigest(rows)
		if err != nil || got != want {
			t.Errorf("digest %s, %v; want %s", got, err, want)
		}
		if !slices.EqualFunc(before, rows, func(a, b Row) bool { return CompareSimulations(a, b) == 0 }) {
			t.Error("the rows were moved")
		}
	}
	if _, err := RowsDigest(append(rows, makeRows(2, ttft99(4)...)...)); err == nil {
		t.Error("contradicting rows have a digest")
	}
}

// TestTheDigestOfRowsThatShareMetrics has more different metrics than the digest remembers, each of
// three rows, and other names with the same values.
func TestTheDigestOfRowsThatShareMetrics(t *testing.T) {
	var rows []Row
	for i := range 3 * (maxKnownTexts + 10) {
		m := NewMetrics(map[string]float64{"goodput": float64(i % (maxKnownTexts + 10))})
		if i%2 == 1 {
			m = NewMetrics(map[string]float64{"utilization": float64(i % (maxKnownTexts + 10))})
		}
		rows = append(rows, Row{Key: "k", Point: i, Share: 1, Metrics: m})
	}
	var sharing Sharing
	for i := range rows {
		sharing.Share(&rows[i])
	}
	rows = append(rows, rows[0], rows[1])
	rows[len(rows)-2].Point, rows[len(rows)-1].Point = len(rows)-2, len(rows)-1
	var b bytes.Buffer
	if err := WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	if got, err := RowsDigest(rows); err != nil || got != hex.EncodeToString(sum[:]) {
		t.Errorf("digest %s, %v; want %x", got, err, sum)
	}
}
