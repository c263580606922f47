// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

var explanationFields = jsonline.NewObject[Explanation]()

// fill gives every exported field a value, or none, at random.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), r)
			}
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), r)
		}
	case reflect.Slice:
		if n := r.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
			for i := range v.Len() {
				fill(v.Index(i), r)
			}
		}
	case reflect.String:
		v.SetString([]string{"", "plain", "a \"quoted\" <text>", "ü\n"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, 0.1, -2.5, 1e-9, 1e30, r.Float64()}[r.IntN(7)])
	default:
		v.SetInt([]int64{0, 1, -7, 1 << 30}[r.IntN(4)])
	}
}

// What is appended is what encoding/json writes, for any explanation.
func TestAppendedFieldsAreThoseOfEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x := &Explanation{}
		fill(reflect.ValueOf(x).Elem(), r)
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(x); err != nil {
			t.Fatal(err)
		}
		got := append(explanationFields.Append([]byte("{"), x), '}')
		if string(got) != string(bytes.TrimSuffix(want.Bytes(), []byte("\n"))) {
			t.Fatalf("%s\nencoding/json:\n%s", got, want.Bytes())
		}
	}
}

// An explanation of released memory is as one of new memory.
func TestReleasedExplanations(t *testing.T) {
	make := func(x *Explanation) string {
		x.Endpoints = x.EndpointList(2)
		x.Endpoints[1].ScrapeAgeSeconds = x.Float(1.5)
		x.Endpoint = x.Int(1)
		x.Profiles = append(x.Profiles, ProfileRun{Endpoints: x.Ints([]int{0, 1}), Candidates: x.Ints(nil), Scores: x.Numbers([]float64{1, 2}), Scorers: x.ScorerList(1)})
		x.InFlight = append(x.InFlight, InFlightSignal{Requests: x.Int64s([]int64{4})})
		return string(append(explanationFields.Append([]byte("{"), x), '}'))
	}
	var pool ExplanationPool
	want := make(pool.Get())
	for range 3 {
		x, kept := pool.Get(), pool.Get()
		keptText := make(kept)
		if got := make(x); got != want || keptText != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		x.Release()
		make(pool.Get())
		if got := string(append(explanationFields.Append([]byte("{"), kept), '}')); got != want {
			t.Errorf("what was not released changes: %s", got)
		}
	}
}
