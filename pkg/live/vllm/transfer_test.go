// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// numbered is one of the replicas of a pool.
type numbered struct {
	*replicas.Pool
	number int
}

func (n numbered) Submit(r replicas.Request) (*replicas.Stream, error) {
	return n.Pool.Submit(n.number, r)
}
func (n numbered) Metrics() replicas.Metrics { return n.Pool.Metrics(n.number) }

// TestPrefillAndDecode plays llm-d's sidecar: the prompt goes to one server with a bound of one token, and
// what that says of its blocks goes to another one, unchanged.
func TestPrefillAndDecode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := smallPool()
		of.Replicas, of.BlockBytes = 2, 1000
		link := transfer.Station{BytesPerSecond: 1_000_000} // a block takes 1 ms
		p := replicas.New(replicas.Config{
			Simulated: simulator.Config{Pools: []simulator.Pool{of}, Handoff: simulator.Handoff{Egress: link, Ingress: link}},
			Speed:     1, MaxLateness: time.Minute,
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		prefill, decode := New(smallOptions(), numbered{p, 0}), New(smallOptions(), numbered{p, 1})

		const body = `{"prompt": "What is the answer to all of it?", "max_tokens": %d, "ignore_eos": true, "kv_transfer_params": %s}`
		const ask0 = `{"do_remote_decode": true, "do_remote_prefill": false, "remote_engine_id": null, "remote_block_ids": null, "remote_host": null, "remote_port": null}`
		first := ask(t, prefill, "POST", "/v1/completions", fmt.Sprintf(body, 1, ask0))
		var says struct {
			Params json.RawMessage `json:"kv_transfer_params"`
		}
		if err := json.Unmarshal(first.Body.Bytes(), &says); err != nil {
			t.Fatal(err)
		}
		// 32 characters are 8 tokens of bytes4, and those are 2 blocks.
		want := regexp.MustCompile(`^{"do_remote_prefill":true,"do_remote_decode":false,"remote_block_ids":\[\[0,1\]\],"remote_engine_id":"[A-Z0-9]+",` +
			`"remote_request_id":"[A-Z0-9]+-0","remote_host":"example.com","remote_port":5600,"tp_size":1}$`)
		if !want.Match(says.Params) {
			t.Fatalf("the prefill server says %s", says.Params)
		}
		if usage := p.Metrics(0).KVUsage; usage != 2./64 {
			t.Errorf("the prefill server keeps %v of its blocks", usage)
		}

		start := time.Now()
		second := ask(t, decode, "POST", "/v1/completions", fmt.Sprintf(body, 3, says.Params))
		if took := time.Since(start).Truncate(time.Microsecond); second.Code != 200 || took != 32*time.Millisecond {
			t.Errorf("3 tokens after a hand-over of 2 ms take %v: %s", took, second.Body)
		}
		if usage := p.Metrics(0).KVUsage; usage != 0 {
			t.Errorf("the prefill server has %v of its blocks in use in the end", usage)
		}

		for name, params := range map[string]string{
			"a stop": `{"do_remote_decode": true}`, "no field": `{"do_remote_prefill": true}`, "another pool": `{"do_remote_prefill": true,
				"remote_engine_id": "e", "remote_request_id": "x-0", "remote_host": "h", "remote_port": 1}`,
		} {
			late := ask(t, decode, "POST", "/v1/completions", fmt.Sprintf(`{"prompt": "Hi", "max_tokens": 30, "kv_transfer_params": %s}`, params))
			if err := json.Unmarshal(late.Body.Bytes(), &says); err != nil || late.Code != 200 || string(says.Params) != "null" {
				t.Errorf("%s: %s", name, late.Body)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
