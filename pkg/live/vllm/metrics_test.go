// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

// TestMetricsByVersion holds the names, types, labels and buckets of each release against a file, which was
// read against vllm/v1/metrics/loggers.py: a6f0308 for 0.8, 005a810 for 0.9 and 0.10, and the changes since
// that version.go names. The first release is there as a whole, and what later ones add and leave out.
func TestMetricsByVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got bytes.Buffer
		var last []string
		for v := OldestVersion; v <= NewestVersion; v++ {
			o := smallOptions()
			o.Version = v
			shape := shapeOf(t, ask(t, started(t, o, smallPool()), http.MethodGet, "/metrics", "").Body.String())
			if !slices.Equal(shape, last) {
				fmt.Fprintf(&got, "# from %s on\n", v)
			}
			for _, line := range without(shape, last) {
				fmt.Fprintf(&got, "+ %s\n", line)
			}
			for _, line := range without(last, shape) {
				fmt.Fprintf(&got, "- %s\n", line)
			}
			last = shape
		}
		golden.Check(t, "testdata/metrics.txt", got.Bytes())
	})
}

func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

// shapeOf is a page of metrics without values: a line for each name, with its type, labels and buckets.
func shapeOf(t *testing.T, page string) []string {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for name, family := range families {
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		var labels, buckets []string
		for _, pair := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, pair.GetName())
		}
		for _, b := range family.GetMetric()[0].GetHistogram().GetBucket() {
			buckets = append(buckets, fmt.Sprint(b.GetUpperBound()))
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprint(name, " ", strings.ToLower(family.GetType().String()), " {", strings.Join(labels, ","), "} ", strings.Join(buckets, " "))))
	}
	slices.Sort(lines)
	return lines
}

// TestMetricsCount has two requests, of 2 and 4 tokens of prompt, each with 3 tokens of answer from steps of
// 10 ms, and looks after the first step and when all is over. The second request comes after 6 ms, so
// that it waits for the next step.
func TestMetricsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t, smallOptions(), smallPool())
		done := make(chan struct{}, 2)
		for _, body := range []string{`{"prompt": "Once up", "max_tokens": 3, "ignore_eos": true}`, `{"model": "sql", "prompt": "Once upon a ti", "max_tokens": 3, "ignore_eos": true}`} {
			go func() {
				ask(t, s, http.MethodPost, "/v1/completions", body)
				done <- struct{}{}
			}()
			time.Sleep(6 * time.Millisecond)
		}
		hold(t, s, map[string]string{
			"num_requests_running": "2", "num_requests_waiting": "0", "generation_tokens_total": "1",
			"lora_requests_info": "sql", "cache_config_info": "64",
		})
		<-done
		<-done
		// Tokens come after 10, 20 and 30 ms, and after 20, 30 and 40 ms.
		hold(t, s, map[string]string{
			"num_requests_running": "0", "kv_cache_usage_perc": "0", "generation_tokens_total": "6", "prompt_tokens_total": "6",
			"prefix_cache_queries_total": "6", "prefix_cache_hits_total": "0", "num_preemptions_total": "0",
			"time_to_first_token_seconds_sum": "0.024", "time_to_first_token_seconds_count": "2",
			"inter_token_latency_seconds_sum": "0.04", "inter_token_latency_seconds_count": "4",
			"request_time_per_output_token_seconds_sum": "0.02", "e2e_request_latency_seconds_sum": "0.064",
			"request_queue_time_seconds_sum": "0.004", "request_decode_time_seconds_sum": "0.04",
			"request_prompt_tokens_sum": "6", "request_generation_tokens_sum": "6",
			"request_params_n_sum": "2", "request_params_max_tokens_sum": "6",
		})
	})
}

// TestMetricsOfSeveralAnswers has two prompts with two answers each: of at most 5 tokens, and of lengths that
// are 1 or 4. Each answer counts with its bound and its tokens, each prompt with the number of its answers
// and the tokens of the longer one.
func TestMetricsOfSeveralAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := smallOptions()
		o.Lengths = []int{1, 4}
		s := started(t, o, smallPool())
		var got struct {
			Choices []struct {
				TokenIDs []uint32 `json:"token_ids"`
			}
		}
		answer := ask(t, s, http.MethodPost, "/v1/completions", `{"prompt": ["a", "b"], "n": 2, "max_tokens": 5, "return_token_ids": true}`)
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || len(got.Choices) != 4 {
			t.Fatalf("%v: %s", err, answer.Body)
		}
		var tokens []int
		for _, c := range got.Choices {
			tokens = append(tokens, len(c.TokenIDs))
		}
		if slices.Min(tokens) == slices.Max(tokens) {
			t.Fatalf("all answers have %d tokens", tokens[0])
		}
		hold(t, s, map[string]string{
			"request_params_n_count": "2", "request_params_n_sum": "4",
			"request_params_max_tokens_count": "4", "request_params_max_tokens_sum": "20",
			"request_generation_tokens_sum":           fmt.Sprint(tokens[0] + tokens[1] + tokens[2] + tokens[3]),
			"request_max_num_generation_tokens_count": "2",
			"request_max_num_generation_tokens_sum":   fmt.Sprint(max(tokens[0], tokens[1]) + max(tokens[2], tokens[3])),
		})
	})
}

// hold compares values of the page by the names of series. Those of cache_config_info and
// lora_requests_info are labels.
func hold(t *testing.T, s *Server, want map[string]string) {
	t.Helper()
	page := ask(t, s, http.MethodGet, "/metrics", "").Body.String()
	got := map[string]string{}
	for name := range want {
		pattern := `(?m)^vllm:` + name + `\{[^}]*\} (\S+)$`
		switch name {
		case "cache_config_info":
			pattern = `(?m)^vllm:cache_config_info\{.*num_gpu_blocks="(\d+)"\} 1$`
		case "lora_requests_info":
			pattern = `(?m)^vllm:lora_requests_info\{.*running_lora_adapters="(.*?)",.*\} 9.466848\S*e\+08$`
		}
		if found := regexp.MustCompile(pattern).FindStringSubmatch(page); found != nil {
			got[name] = found[1]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (−want +got):\n%s", diff)
	}
}
