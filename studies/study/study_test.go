// SPDX-License-Identifier: Apache-2.0

package study

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

func TestForEachDoesAllAndKeepsErrors(t *testing.T) {
	var sum atomic.Int64
	fault := errors.New("seven")
	err := ForEach(100, func(i int) error {
		sum.Add(int64(i))
		if i == 7 {
			return fault
		}
		return nil
	})
	if sum.Load() != 4950 || !errors.Is(err, fault) {
		t.Errorf("sum %d, error %v", sum.Load(), err)
	}
}

func TestTable(t *testing.T) {
	table := Table{Titles: []string{"what", "n"}}
	table.Add("a", "1")
	if got, want := table.String(), "| what | n |\n| --- | ---: |\n| a | 1 |"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestChartIsXML(t *testing.T) {
	c := Chart{
		Title: "a < b", X: "x", Y: "y", Ticks: []string{"1 & 2", "3"}, Limit: 7, LimitName: "limit",
		Lines: []Line{{Name: "one", Points: []Point{{0, 1}, {1, 9.5}}}, {Name: "two", Dashed: true, Colour: 8}},
	}
	var out bytes.Buffer
	if err := c.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a &lt; b", ">10</text>", "1 &amp; 2", `stroke-dasharray="6 4"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, 37.34: 40, 0.3: 0.3, 1.01: 1.5, 99: 100, 8: 8} {
		if got := roundUp(v); got != want {
			t.Errorf("roundUp(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestMissingData(t *testing.T) {
	t.Setenv("WINDTUNNEL_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	if _, err := DataFile("traces", "none.csv"); err == nil || !strings.Contains(err.Error(), "traces/none.csv is not here") {
		t.Errorf("%v", err)
	}
}
