// SPDX-License-Identifier: Apache-2.0

package jsonline_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/jsonline"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

type inner struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

type Outer struct {
	Seed int64 `json:"seed"`
}

type Behind struct {
	Share float64 `json:"share"`
}

type object struct {
	Outer
	*Behind
	hidden int
	Hidden string   `json:"-"`
	At     float64  `json:"at"`
	Text   string   `json:"text,omitempty"`
	Is     bool     `json:"is,omitempty"`
	Count  int32    `json:"count"`
	Maybe  *float64 `json:"maybe,omitempty"`
	Number *int64   `json:"number"`
	List   []inner  `json:"list,omitempty"`
	All    []inner  `json:"all"`
	Counts []int32  `json:"counts,omitempty"`
	One    inner    `json:"one,omitempty"`
	Zero   inner    `json:"zero,omitzero"`
	Far    *inner   `json:"far,omitempty"`
}

// An object is written as encoding/json writes it.
func TestObjectsAreWrittenAsByReflection(t *testing.T) {
	fields := jsonline.NewObject[object]()
	for name, o := range map[string]object{
		"empty": {},
		"full": {
			Outer{-1}, &Behind{0.5}, 7, "x", 0.1 + 0.2, "a\"b", true, math.MinInt32, new(1e-9), new(int64(math.MaxInt64)),
			[]inner{{"a", 1}, {"ü", 1e21}}, []inner{}, []int32{1, -2}, inner{"one", 1}, inner{"zero", 0}, &inner{"far", 2},
		},
		"lists without values":  {List: []inner{}, Counts: []int32{}},
		"zeros behind pointers": {Maybe: new(0.0), Number: new(int64(0)), All: []inner{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			want := jsontest.Encode(t, o)
			got := append(fields.Append([]byte("{"), &o), '}')
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("−encoding/json +object:\n%s", diff)
			}
		})
	}
}
