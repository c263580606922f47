// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/teststorage"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/query")

const (
	stories   = 60
	questions = 40
	path      = "../../pkg/policy/autoscaling/query/testdata/prometheus.json.gz"
)

func TestTheGoldenSet(t *testing.T) {
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{})})
	var all []*Story
	for seed := range uint64(stories) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := randomStory(r)
		play(t, engine, r, s)
		all = append(all, s)
	}
	got := encode(t, all)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("Prometheus answers otherwise than in the file: run this test with -update")
	}
}

// play stores what was scraped, and asks.
func play(t *testing.T, engine *promql.Engine, r *rand.Rand, s *Story) {
	storage := teststorage.New(t)
	defer storage.Close()
	appender := storage.Appender(t.Context())
	up := map[string]bool{}
	add := func(at int64, v float64, pairs ...string) {
		if _, err := appender.Append(0, labels.FromStrings(pairs...), at, v); err != nil {
			t.Fatal(err)
		}
	}
	for _, sample := range s.Samples {
		for i, e := range sample.Engines {
			if !e.Up && !up[s.Pods[i]] {
				continue
			}
			up[s.Pods[i]] = e.Up
			show := func(name string, v int64, more ...string) {
				shown := float64(v)
				if !e.Up {
					shown = math.Float64frombits(value.StaleNaN)
				}
				pool := s.Pods[i][:len(s.Pods[i])-2]
				add(sample.At, shown, append(more, "__name__", name, "pod", s.Pods[i], "pool", pool, "deployment", pool, "model_name", "m")...)
			}
			show("vllm:num_requests_waiting", e.Waiting)
			show("vllm:prompt_tokens_total", e.Tokens)
			count := int64(0)
			for k, n := range e.Observed {
				count += n
				show("vllm:time_to_first_token_seconds_bucket", count, "le", bounds[k])
			}
			show("vllm:time_to_first_token_seconds_count", count)
		}
	}
	if err := appender.Commit(); err != nil {
		t.Fatal(err)
	}
	last := s.Samples[len(s.Samples)-1].At
	for range questions {
		q := Question{At: last + int64(r.IntN(100))*s.Interval/100, Query: randomQuery(r, r.IntN(3))}
		if r.IntN(4) == 0 {
			q.At = last
		}
		ask(t, engine, storage, &q)
		s.Questions = append(s.Questions, q)
	}
}

func ask(t *testing.T, engine *promql.Engine, storage *teststorage.TestStorage, q *Question) {
	asked, err := engine.NewInstantQuery(context.Background(), storage, nil, q.Query, time.UnixMilli(q.At))
	if err != nil {
		t.Fatalf("%s: %v", q.Query, err)
	}
	defer asked.Close()
	result := asked.Exec(context.Background())
	if result.Err != nil {
		q.Failed = true
		return
	}
	vector, err := result.Vector()
	if err != nil {
		t.Fatalf("%s: %v", q.Query, err)
	}
	for _, sample := range vector {
		series := Series{Value: strconv.FormatFloat(sample.F, 'g', -1, 64)}
		sample.Metric.Range(func(l labels.Label) { series.Labels = append(series.Labels, l.Name+"="+l.Value) })
		q.Want = append(q.Want, series)
	}
	slices.SortFunc(q.Want, func(a, b Series) int { return slices.Compare(a.Labels, b.Labels) })
}

func encode(t *testing.T, all []*Story) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(all); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
