// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/vmihailenco/msgpack/v5"

	"windtunnel.dev/windtunnel/pkg/live/epp"
)

// A prompt's blocks reach a reader of KV events under the address at which the replica serves.
func TestEnginePublishesKVEvents(t *testing.T) {
	reader := zmq4.NewSub(t.Context())
	defer reader.Close()
	if err := reader.Listen("tcp://127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if err := reader.SetOption(zmq4.OptionSubscribe, "kv@"); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(reader.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	urls, stop := startEngine(t, 1, "--pool", "llama", "--replicas", "1", "--speed", "100", "--vllm-version", "0.24", "--kv-events", "tcp://127.0.0.1:"+port)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	received := make(chan zmq4.Msg, 1)
	go func() {
		if m, err := reader.Recv(); err == nil {
			received <- m
		}
	}()
	// What is sent before the engine has connected is lost, so there is one prompt after the other until an event arrives.
	var m zmq4.Msg
	for i := 0; len(m.Frames) == 0; i++ {
		prompt := fmt.Sprintf(`{"prompt": "%d %s", "max_tokens": 2}`, i, strings.Repeat("once upon a time ", 40))
		answer, err := http.Post(urls[0]+"/v1/completions", "application/json", strings.NewReader(prompt))
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		select {
		case m = <-received:
		default:
		}
	}
	topic := "kv@" + strings.TrimPrefix(urls[0], "http://") + "@meta-llama/Llama-3.1-8B-Instruct"
	if len(m.Frames) != 3 || string(m.Frames[0]) != topic {
		t.Fatalf("a message has the frames %q, want the topic %s", m.Frames, topic)
	}
	var batch []any
	if err := msgpack.Unmarshal(m.Frames[2], &batch); err != nil {
		t.Fatal(err)
	}
	stored, ok := batch[1].([]any)[0].(map[string]any)
	if !ok || stored["type"] != "BlockStored" || len(stored["block_hashes"].([]any)) == 0 {
		t.Errorf("the batch is %v", batch)
	}
}

// A replica says when its KV events have a reader, for an EPP in another pod.
func TestEngineTellsOfReaders(t *testing.T) {
	reader := zmq4.NewSub(t.Context())
	defer reader.Close()
	if err := reader.Listen("tcp://127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(reader.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	urls, stop := startEngine(t, 1, "--pool", "llama", "--replicas", "1", "--rehearsal", "--kv-events", "tcp://127.0.0.1:"+port)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	at := epp.Endpoint{Name: "llama-0", Address: netip.MustParseAddrPort(strings.TrimPrefix(urls[0], "http://"))}
	if err := reader.SetOption(zmq4.OptionSubscribe, "kv@"); err != nil {
		t.Fatal(err)
	}
	answer, err := ask(t.Context(), at, http.MethodGet, readersPath)
	if err != nil {
		t.Fatal(err)
	}
	answer.Close()
}
