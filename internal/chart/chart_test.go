// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestChartIsXML(t *testing.T) {
	c := Chart{
		Title: "a < b", X: "x", Y: "y", Ticks: []string{"1 & 2", "3"}, Limit: 7, LimitName: "limit",
		Lines: []Line{{Name: "one", Points: []XY{{0, 1}, {1, 9.5}}}, {Name: "two", Dashed: true, Colour: 8}, {Name: "three", Hollow: true, Points: []XY{{0, 2}}}},
	}
	var out bytes.Buffer
	if err := errors.Join(c.WriteSVG(&out), WriteColumn(&out, []Chart{c, c})); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a &lt; b", ">10</text>", "1 &amp; 2", `stroke-dasharray="6 4"`, `fill="white" stroke="#4477aa"`} {
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
