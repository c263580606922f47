// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestEveryReasonHasAMeaning(t *testing.T) {
	for reason := range simulator.Reasons {
		if RejectionMeaning(reason.String()) == "" {
			t.Errorf("nothing says what %s means", reason)
		}
	}
}

func TestNothingServedSaysWhy(t *testing.T) {
	row := func(completed, unfinished float64, rejected Rejections) Row {
		r := makeRows(0, map[string]float64{"completionRate": completed, "unfinishedRate": unfinished})[0]
		r.RejectedBy = rejected
		return r
	}
	for name, tc := range map[string]struct {
		rows []Row
		want string
	}{
		"no rows":                     {nil, ""},
		"a simulation that failed":    {[]Row{{Error: "no weights"}}, ""},
		"one request completed":       {[]Row{row(0, 0, Rejections{"shed": 9}), row(0.1, 0, nil)}, ""},
		"rejected, most first":        {[]Row{row(0, 0, Rejections{"shed": 2, "exceedsModelLength": 1}), row(0, 0, Rejections{"shed": 1})}, "nothing was served: every request was rejected: shed 3 (the router rejected it because the pool was saturated), exceedsModelLength 1 (prompt plus answer are longer than the model's context, or engine.maxModelLen)"},
		"some rejected, some cut off": {[]Row{row(0, 0.5, Rejections{"noEndpoint": 1})}, "nothing was served: requests were rejected: noEndpoint 1 (the router left no replica to choose); the others were in flight when the run ended"},
		"all cut off":                 {[]Row{row(0, 1, nil)}, "nothing was served: all requests were in flight when the run ended"},
		"all timed out":               {[]Row{makeRows(0, map[string]float64{"timeoutRate": 1})[0]}, "nothing was served: all requests timed out before they were answered"},
		"timed out or cut off":        {[]Row{makeRows(0, map[string]float64{"timeoutRate": 0.5, "unfinishedRate": 0.5})[0]}, "nothing was served: all requests timed out before they were answered or were in flight when the run ended"},
		"rejected or timed out": {[]Row{func() Row {
			r := makeRows(0, map[string]float64{"timeoutRate": 0.5})[0]
			r.RejectedBy = Rejections{"noEndpoint": 1}
			return r
		}()}, "nothing was served: requests were rejected: noEndpoint 1 (the router left no replica to choose); the others timed out before they were answered"},
		"nothing arrived": {makeRows(0, map[string]float64{}), "nothing was served: no request that counts arrived, or all of them failed"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, NothingServed(tc.rows)); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// Rows without rejections have the bytes that they had before there was the field.
func TestRowsKeepTheReasonsOfRejections(t *testing.T) {
	rows := makeRows(1, map[string]float64{"goodput": 0.5}, map[string]float64{"goodput": 1})
	rows[0].RejectedBy = Rejections{"shed": 2, "expired": 1}
	want := `{"key":"key","point":1,"seed":42,"rejectedBy":{"expired":1,"shed":2},"metrics":{"goodput":0.5}}` + "\n" +
		`{"key":"key","point":1,"seed":43,"metrics":{"goodput":1}}` + "\n"
	var b bytes.Buffer
	if err := WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
	in := newRowReader()
	first, _, _ := strings.Cut(want, "\n")
	if _, plain := in.readPlain([]byte(first)); !plain {
		t.Error("a row with rejections is not read the fast way")
	}
	back, err := ReadRows(&b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if !rows[i].equal(&back[i]) {
			t.Errorf("row %d: %+v, want %+v", i, back[i], rows[i])
		}
	}
	if rows[0].equal(&rows[1]) {
		t.Error("rows with other rejections are equal")
	}
	for _, line := range []string{
		`{"key":"key","point":1,"seed":42,"rejectedBy":{"shed":2,"expired":1},"metrics":{}}`,
		`{"key":"key","point":1,"seed":42,"rejectedBy":{},"metrics":{}}`,
		`{"key":"key","point":1,"seed":42,"rejectedBy":{"shed":1},"error":"no weights"}`,
	} {
		if _, err := ReadRows(strings.NewReader(line + "\n")); err == nil {
			t.Errorf("read %s", line)
		}
	}
}
