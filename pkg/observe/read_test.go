// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/observe"
)

// answered is an answer of Prometheus with one series.
func answered(series string) string {
	return `{"status":"success","data":{"resultType":"matrix","result":[` + series + `]}}`
}

func TestRead(t *testing.T) {
	running := func(pod string, points ...observe.Sample) observe.Series {
		return observe.Series{Metric: "vllm:num_requests_running", Labels: map[string]string{"pod": pod}, Points: points}
	}
	for name, tc := range map[string]struct {
		text string
		want observe.Recording
	}{
		"an answer": {
			answered(`{"metric":{"__name__":"vllm:num_requests_running","pod":"a"},"values":[[1767600000,"3"],[1767600015.5,"4"]]}`),
			observe.Recording{Series: []observe.Series{running("a", observe.Sample{At: 1767600000000, Value: 3}, observe.Sample{At: 1767600015500, Value: 4})}},
		},
		"several answers, one of which goes on with a series": {
			answered(`{"metric":{"__name__":"vllm:num_requests_running","pod":"b"},"values":[[20,"1"]]}`) + "\n" +
				answered(`{"metric":{"__name__":"vllm:num_requests_running","pod":"a"},"values":[[10,"2"]]},{"metric":{"__name__":"vllm:num_requests_running","pod":"b"},"values":[[10,"0"],[20,"5"]]}`),
			observe.Recording{Series: []observe.Series{
				running("a", observe.Sample{At: 10_000, Value: 2}),
				running("b", observe.Sample{At: 10_000, Value: 0}, observe.Sample{At: 20_000, Value: 5}),
			}},
		},
		"samples that are no finite numbers are counted": {
			answered(`{"metric":{"__name__":"vllm:num_requests_running","pod":"a"},"values":[[10,"NaN"],[20,"1"],[30,"+Inf"]]}`),
			observe.Recording{Series: []observe.Series{running("a", observe.Sample{At: 20_000, Value: 1})}, Dropped: 2},
		},
		"CSV in any order, with a label that some lines lack": {
			"time,metric,value,pod\n2026-01-05T08:00:15Z,vllm:num_requests_running,4,a\n1767600000,vllm:num_requests_running,3,a\n1767600000,up,1,\n1767600015,up,NaN,\n",
			observe.Recording{Series: []observe.Series{
				{Metric: "up", Labels: map[string]string{}, Points: []observe.Sample{{At: 1767600000000, Value: 1}}},
				running("a", observe.Sample{At: 1767600000000, Value: 3}, observe.Sample{At: 1767600015000, Value: 4}),
			}, Dropped: 1},
		},
	} {
		got, err := observe.Read(strings.NewReader(tc.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(&tc.want, got); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}

func TestMalformedSamplesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "there are no samples",
		"  \n":                                  "there are no samples",
		answered(""):                            "there are no samples",
		"{":                                     "answer 1: unexpected EOF",
		"[]":                                    `"[]" is neither an answer of Prometheus nor the header of a CSV file`,
		`{"status":"error","error":"too long"}`: "answer 1: it is an error of Prometheus: too long",
		`{"status":"success"}`:                  "resultType must be matrix",
		`{"kind":"List"}`:                       "the file holds no samples: samples are answers of the HTTP API of Prometheus",
		`{"kind":"SimulationRun","status":{}}`:  "the file holds no samples",
		`{"status":"done"}`:                     `status is "done": must be success`,
		answered(`{"metric":{"pod":"a"},"values":[[1,"2"]]}`):            "a series has no __name__",
		answered(`{"metric":{"__name__":"x"},"values":[[1,2]]}`):         `[1,2] is no sample: must be [seconds, "value"]`,
		answered(`{"metric":{"__name__":"x"},"values":[[1,"two"]]}`):     `"two" is no value of a sample`,
		answered(`{"metric":{"__name__":"x"},"values":[[-1,"2"]]}`):      "-1 is no time of a sample",
		answered(`{"metric":{"__name__":"x"},"values":[[1e300,"2"]]}`):   "1e+300 is no time of a sample",
		answered(`{"metric":{"__name__":"x"},"values":[[1,"2"]]}`) + "x": "answer 2: invalid character 'x'",
		"time,metric\n":                          `"time" is neither an answer`,
		"time,metric,value\n":                    "there are no samples",
		"time,metric,value\nnow,x,1\n":           `line 2: "now" is no time`,
		"time,metric,value\n1,x,one\n":           `line 2: "one" is no value of a sample`,
		"time,metric,value\n1,,1\n":              "line 2: metric is empty",
		"time,metric,value\n1,x\n":               "wrong number of fields",
		"time,metric,value\n\"1,x,1\n":           "extraneous or missing",
		"time,metric,value\n1700000000000,x,1\n": "must be in seconds since 1970",
	} {
		_, err := observe.Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// TestRecordingsSurviveWriting writes what was played, and reads it: the figures are the same.
func TestRecordingsSurviveWriting(t *testing.T) {
	stage := stageOf(2)
	stage.ByReplica = true
	played, err := stage.Play(t.Context(), scenario(t), 7, observe.AsStated())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := played.Write(&text); err != nil {
		t.Fatal(err)
	}
	read, err := observe.Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	measures := observe.Measures()
	want, _ := stage.Window.Figures(played, measures)
	got, notes := stage.Window.Figures(read, measures)
	if diff := cmp.Diff(want, got); diff != "" || len(notes) > 0 {
		t.Errorf("notes %v; figures (−want +got):\n%s", notes, diff)
	}
	if diff := cmp.Diff(played.Bounds(), read.Bounds()); diff != "" {
		t.Errorf("bounds (−want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(answered(`{"metric":{"__name__":"vllm:num_requests_running","pod":"a"},"values":[[1767600000,"3"],[1767600015.5,"NaN"]]}`)))
	f.Add([]byte("time,metric,value,le\n2026-01-05T08:00:15Z,vllm:e2e_request_latency_seconds_bucket,4,+Inf\n1767600000,vllm:e2e_request_latency_seconds_bucket,3,0.5\n"))
	f.Add([]byte(`{"status":"error","error":"x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := observe.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		first, last, _ := r.Span()
		w, err := observe.NewWindow(first, last, 0, r.Interval())
		if err != nil {
			return
		}
		w.Figures(r, observe.Measures())
		var again bytes.Buffer
		if err := r.Write(&again); err != nil {
			t.Fatal(err)
		}
		second, err := observe.Read(&again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		second.Dropped = r.Dropped
		if diff := cmp.Diff(r.Series, second.Series); diff != "" && !strings.ContainsAny(string(text), "\\\ufffd") {
			t.Errorf("(−want +got):\n%s", diff)
		}
	})
}
