// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/live/tokens"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// constantStep is a timer whose steps take as long whatever they compute.
type constantStep time.Duration

func (c constantStep) StepTime(latency.Step) time.Duration { return time.Duration(c) }

// smallPool is a replica of 64 blocks of 4 tokens, whose steps take 10 ms and give a token to each of
// at most 8 requests.
func smallPool() simulator.Pool {
	return simulator.Pool{
		Name: "pool", Replicas: 1, Timer: constantStep(10 * time.Millisecond), BlockTokens: 4, KVBlocks: 64,
		PrefixCaching: true, MaxNumSeqs: 8, MaxNumBatchedTokens: 1000, Adapters: &simulator.AdapterPlaces{Max: 2},
	}
}

func smallOptions() Options {
	return Options{
		Names: []string{"llama", "alias"}, Root: "org/llama", Version: 24, MaxModelLen: 200,
		Tokenizer: tokens.Bytes4{}, Lengths: []int{5, 8}, Adapters: []string{"sql"}, Now: time.Now,
		Limits: Limits{BodyBytes: 4096, Requests: 16, Choices: 4, Adapters: 2, AnswerTokens: 400, WriteTimeout: time.Second},
	}
}

// engineOf is the first replica of a pool.
type engineOf struct{ *replicas.Pool }

func (e engineOf) Submit(r replicas.Request) (*replicas.Stream, error) { return e.Pool.Submit(0, r) }
func (e engineOf) Metrics() replicas.Metrics                           { return e.Pool.Metrics(0) }
func (e engineOf) Lateness() prometheus.Histogram                      { return e.Pool.Lateness() }

// started is a server whose replica works until the test ends.
func started(t testing.TB, o Options, pool simulator.Pool) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := replicas.New(replicas.Config{
		Simulated: simulator.Config{Pools: []simulator.Pool{pool}}, Speed: 1, MaxLateness: time.Minute, NamedTokens: 10_000,
	})
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return New(o, engineOf{p})
}

// ask is the answer to a request. Its id is "7".
func ask(t testing.TB, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("X-Request-Id", "7")
	w := recorder{httptest.NewRecorder()}
	h.ServeHTTP(w, r)
	return w.ResponseRecorder
}

// recorder is a client that reads everything at once.
type recorder struct{ *httptest.ResponseRecorder }

func (recorder) SetWriteDeadline(time.Time) error { return nil }

// TestAnswers holds the bytes of answers against a file, which was read against vLLM's
// (chat_completion/serving.py at 006c49d, completion/serving.py at 030ea52): the order and the names of
// fields, which chunks there are, and what is null or not there. The clock of the test begins with the
// year 2000.
func TestAnswers(t *testing.T) {
	questions := []struct{ says, path, body string }{
		{"a completion", "/v1/completions", `{"model": "llama", "prompt": "Once upon", "max_tokens": 3}`},
		{"a bound of its own", "/v1/completions", `{"prompt": "Once upon"}`},
		{"the end is ignored", "/v1/completions", `{"prompt": "Once upon", "max_tokens": 12, "ignore_eos": true}`},
		{"token ids", "/v1/completions", `{"prompt": [1214606444, 111], "max_tokens": 2, "return_token_ids": true}`},
		{"several prompts", "/v1/completions", `{"prompt": ["a", "b"], "n": 2, "max_tokens": 2}`},
		{"a stop text", "/v1/completions", `{"prompt": "Once upon", "stop": "an"}`},
		{"a stop text that stays", "/v1/completions", `{"prompt": "Once upon", "stop": ["an", "zebra"], "include_stop_str_in_output": true}`},
		{"a stop token", "/v1/completions", `{"prompt": "Once upon", "stop_token_ids": [544040307]}`},
		{"an adapter", "/v1/completions", `{"model": "sql", "prompt": "Once upon", "max_tokens": 2}`},
		{"a stream", "/v1/completions", `{"prompt": "Once upon", "max_tokens": 2, "stream": true}`},
		{"a stream with usage", "/v1/completions", `{"prompt": "Once upon", "max_tokens": 2, "stream": true, "stream_options": {}}`},
		{"a chat", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 3}`},
		{"a chat of parts", "/v1/chat/completions", `{"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "max_tokens": 3}`},
		{"a chat as a stream", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 3, "stream": true, "stream_options": {"include_usage": true}}`},
		{"usage in each chunk", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2, "stream": true, "stream_options": {"include_usage": true, "continuous_usage_stats": true}}`},
		{"no usage", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1, "stream": true, "stream_options": {"include_usage": false}}`},
		{"token ids in a stream", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2, "stream": true, "return_token_ids": true}`},
		{"the models", "/v1/models", ""},
		{"tokens of a text", "/tokenize", `{"prompt": "Once upon", "return_token_strs": true}`},
		{"tokens of a chat", "/tokenize", `{"messages": [{"role": "user", "content": "Hi"}], "add_generation_prompt": false}`},
		{"text of tokens", "/detokenize", `{"tokens": [1332634469, 544567407, 110]}`},
		{"the router asks for the tokens", "/v1/completions/render", `{"prompt": "Once upon"}`},
		{"the router asks for those of a chat", "/v1/chat/completions/render", `{"messages": [{"role": "user", "content": "Hi"}]}`},
		{"the version", "/version", ""},
		{"the state", "/health", ""},
	}
	synctest.Test(t, func(t *testing.T) {
		o := smallOptions()
		o.PromptDetails, o.EchoRequestID = true, true
		s := started(t, o, smallPool())
		var got bytes.Buffer
		for _, q := range questions {
			method := http.MethodPost
			if q.body == "" {
				method = http.MethodGet
			}
			answer := ask(t, s, method, q.path, q.body)
			fmt.Fprintf(&got, "# %s\n%s %s %s\n%d %s %s\n%s\n\n", q.says, method, q.path, q.body,
				answer.Code, answer.Header().Get("Content-Type"), answer.Header().Get("X-Request-Id"), strings.TrimSpace(answer.Body.String()))
		}
		golden.Check(t, "testdata/answers.txt", got.Bytes())
	})
}

func TestMistakes(t *testing.T) {
	const completions, chat = "/v1/completions", "/v1/chat/completions"
	synctest.Test(t, func(t *testing.T) {
		pool := smallPool()
		queued := 1
		pool.MaxQueuedRequests = &queued
		s := started(t, smallOptions(), pool)
		for name, tc := range map[string]struct {
			path, body string
			status     int
			want       string
		}{
			"no JSON":                 {completions, `{`, 400, "the body is not JSON"},
			"another type":            {completions, `{"prompt": "a", "n": "two"}`, 400, `"n must not be a JSON string","type":"Bad Request","param":"n"`},
			"a role of another type":  {chat, `{"messages": [{"role": 1}]}`, 400, `"messages.role must not be a JSON number"`},
			"a list":                  {completions, `[]`, 400, `"the body must not be a JSON array","type":"Bad Request","param":null`},
			"two requests":            {completions, `{"prompt": "a"}{"prompt": "b"}`, 400, "must be one JSON value"},
			"something behind it":     {completions, `{"prompt": "a"} x`, 400, "the body is not JSON"},
			"no prompt":               {completions, `{}`, 400, "prompt is required"},
			"an empty prompt":         {completions, `{"prompt": ""}`, 400, "at least one token"},
			"a prompt of no kind":     {completions, `{"prompt": {"a": 1}}`, 400, "prompt must be a text"},
			"too long a prompt":       {completions, `{"prompt": "` + strings.Repeat("abcd", 200) + `"}`, 400, "maximum context length is 200 tokens: the prompt has 200"},
			"too long an answer":      {completions, `{"prompt": "a", "max_tokens": 200}`, 400, "the prompt has 1, and the answer may have 200"},
			"many stop texts":         {completions, `{"prompt": "a", "stop": ["a"` + strings.Repeat(`, "a"`, 64) + `]}`, 400, "stop must have at most 64 texts, got 65"},
			"an answer of nothing":    {completions, `{"prompt": "a", "max_tokens": 0}`, 400, "max_tokens must be at least 1"},
			"no bound of a chat":      {chat, `{"messages": [{"role": "user", "content": "a"}], "max_completion_tokens": 0}`, 400, `"param":"max_completion_tokens"`},
			"too many answers":        {completions, `{"prompt": "a", "n": 5}`, 400, "n must be from 1 to 4"},
			"too many prompts":        {completions, `{"prompt": ["a", "b", "c"], "n": 2}`, 400, "may ask for 4 answers"},
			"no number of answers":    {completions, `{"prompt": "a", "n": 0}`, 400, "n must be from 1 to 4"},
			"an empty stop":           {completions, `{"prompt": "a", "stop": [""]}`, 400, "empty text"},
			"more at least than most": {completions, `{"prompt": "a", "min_tokens": 3, "max_tokens": 2}`, 400, "at most max_tokens, 2"},
			"options of no stream":    {completions, `{"prompt": "a", "stream_options": {}}`, 400, "needs stream"},
			"log probabilities":       {completions, `{"prompt": "a", "logprobs": 1}`, 400, "logprobs is not simulated"},
			"a suffix":                {completions, `{"prompt": "a", "suffix": "b"}`, 400, "suffix is not simulated"},
			"an echo":                 {completions, `{"prompt": "a", "echo": true}`, 400, "echo is not simulated"},
			"JSON as an answer":       {chat, `{"messages": [{"role": "user", "content": "a"}], "response_format": {"type": "json_object"}}`, 400, "answers have no meaning"},
			"a tool that must be":     {chat, `{"messages": [{"role": "user", "content": "a"}], "tool_choice": "required"}`, 400, "answers call no tool"},
			"a message that goes on":  {chat, `{"messages": [{"role": "user", "content": "a"}], "continue_final_message": true}`, 400, "continue_final_message is not simulated"},
			"a hot sampler":           {completions, `{"prompt": "a", "temperature": "hot"}`, 400, `"temperature must not be a JSON string","type":"Bad Request","param":"temperature"`},
			"a cold sampler":          {completions, `{"prompt": "a", "temperature": -0.1}`, 400, `"temperature must be at least 0, got -0.1","type":"BadRequestError","param":"temperature"`},
			"no probability at all":   {chat, `{"messages": [{"role": "user", "content": "a"}], "top_p": 0}`, 400, "top_p must be above 0, and at most 1, got 0"},
			"a reward for repetition": {completions, `{"prompt": "a", "presence_penalty": -2.5}`, 400, "presence_penalty must be from -2 to 2, got -2.5"},
			"no tokens":               {"/detokenize", `{}`, 400, "tokens is required"},
			"no messages":             {chat, `{"messages": []}`, 400, "at least one message"},
			"no role":                 {chat, `{"messages": [{"content": "a"}]}`, 400, "needs a role"},
			"a picture":               {chat, `{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}`, 400, `type \"image_url\" is not simulated`},
			"no such model":           {chat, `{"model": "gpt", "messages": [{"role": "user", "content": "a"}]}`, 404, "there is no model gpt"},
			"too large a body":        {completions, `{"prompt": "` + strings.Repeat("a", 5000) + `"}`, 413, "larger than 4096 bytes"},
			"too long answers":        {completions, `{"prompt": "a", "n": 3, "max_tokens": 150, "ignore_eos": true}`, 503, "the server works on answers of 400 tokens"},
			"a full queue":            {completions, `{"prompt": "a", "n": 2}`, 503, "engineQueueFull"},
			"a count of no role":      {"/tokenize", `{"messages": [{"content": "a"}]}`, 400, "needs a role"},
			"nothing to render":       {completions + "/render", `{}`, 400, "prompt is required"},
			"nothing to count":        {"/tokenize", `{}`, 400, "prompt or messages is required"},
		} {
			got := ask(t, s, http.MethodPost, tc.path, tc.body)
			if got.Code != tc.status || !strings.Contains(got.Body.String(), tc.want) {
				t.Errorf("%s: %d %s", name, got.Code, got.Body)
			}
			if begin := `{"error":{"message":`; !strings.HasPrefix(got.Body.String(), begin) {
				t.Errorf("%s: %s", name, got.Body)
			}
			if m := s.engine.Metrics(); m.Running+m.Waiting > 0 || m.KVUsage > 0 {
				t.Errorf("%s: the engine still has a request", name)
			}
			if n := s.answering.Load(); n != 0 {
				t.Errorf("%s: the server still has %d tokens to say", name, n)
			}
		}
		for path, want := range map[string]string{
			"/v1/embeddings":  `404 {"error":{"message":"Not Found","type":"Not Found","param":null,"code":404}}`,
			"/v1/completions": `405 {"error":{"message":"Method Not Allowed","type":"Method Not Allowed","param":null,"code":405}}`,
		} {
			if got := ask(t, s, http.MethodGet, path, ""); fmt.Sprintf("%d %s", got.Code, got.Body) != want {
				t.Errorf("GET %s: %d %s", path, got.Code, got.Body)
			}
		}
	})
}

// TestErrorsOfOlderVersions has the shape before nested errors.
func TestErrorsOfOlderVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := smallOptions()
		o.Version = 9
		got := ask(t, started(t, o, smallPool()), http.MethodPost, "/v1/completions", `{"prompt": "a", "model": "gpt"}`)
		want := `{"object":"error","message":"there is no model gpt","type":"NotFoundError","param":"model","code":404}`
		if got.Code != http.StatusNotFound || got.Body.String() != want {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

func TestAdapters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t, smallOptions(), smallPool())
		for _, step := range []struct {
			path, body string
			status     int
			want       string
		}{
			{"/v1/load_lora_adapter", `{"lora_name": "poet"}`, 400, "lora_path are required"},
			{"/v1/load_lora_adapter", `{"lora_name": "llama", "lora_path": "/x"}`, 400, "the base model"},
			{"/v1/completions", `{"model": "poet", "prompt": "a"}`, 404, "no model poet"},
			{"/v1/load_lora_adapter", `{"lora_name": "poet", "lora_path": "/x"}`, 200, "Success"},
			{"/v1/completions", `{"model": "poet", "prompt": "a"}`, 200, `"model":"poet"`},
			{"/v1/load_lora_adapter", `{"lora_name": "poet", "lora_path": "/y"}`, 400, "is loaded"},
			{"/v1/load_lora_adapter", `{"lora_name": "third", "lora_path": "/y"}`, 400, "takes no more"},
			{"/v1/load_lora_adapter", `{"lora_name": "poet", "lora_path": "/y", "load_inplace": true}`, 200, "Success"},
			{"/v1/unload_lora_adapter", `{"lora_name": "poet"}`, 200, "Success"},
			{"/v1/unload_lora_adapter", `{"lora_name": "poet"}`, 404, "no adapter poet"},
			{"/v1/completions", `{"model": "poet", "prompt": "a"}`, 404, "no model poet"},
		} {
			got := ask(t, s, http.MethodPost, step.path, step.body)
			if got.Code != step.status || !strings.Contains(got.Body.String(), step.want) {
				t.Errorf("%s %s: %d %s", step.path, step.body, got.Code, got.Body)
			}
		}
		without := smallPool()
		without.Adapters = nil
		got := ask(t, started(t, smallOptions(), without), http.MethodPost, "/v1/load_lora_adapter", `{"lora_name": "poet", "lora_path": "/x"}`)
		if got.Code != 400 || !strings.Contains(got.Body.String(), "no places for adapters") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

// lettered has a token for each byte, added tokens of Llama 3, and one before each prompt.
type lettered struct{}

func (lettered) Begin() []uint32 { return []uint32{1000} }

func (lettered) Encode(text string) (ids []uint32) {
	for i, special := range []string{"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"} {
		if before, after, found := strings.Cut(text, special); found {
			return slices.Concat(lettered{}.Encode(before), []uint32{uint32(1001 + i)}, lettered{}.Encode(after))
		}
	}
	for _, b := range []byte(text) {
		ids = append(ids, uint32(b))
	}
	return ids
}

func (lettered) Decode(ids []uint32) string {
	var text []byte
	for _, id := range ids {
		text = append(text, byte(id))
	}
	return string(text)
}

// TestTemplates has a chat in the frame of the tokeniser's special tokens.
func TestTemplates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := smallOptions()
		o.Tokenizer = lettered{}
		s := started(t, o, smallPool())
		for body, want := range map[string]string{
			`{"messages": [{"role": "u", "content": "Hi"}]}`: "[1000,1001,117,1002,10,10,72,105,1003,1001,97,115,115,105,115,116,97,110,116,1002,10,10]",
			`{"prompt": "Hi"}`: "[1000,72,105]",
			`{"prompt": "Hi", "add_special_tokens": false}`: "[72,105]",
		} {
			if got := ask(t, s, http.MethodPost, "/tokenize", body).Body.String(); !strings.Contains(got, `"tokens":`+want) {
				t.Errorf("%s: %s", body, got)
			}
		}
		const plain = `{"prompt": "Hi", "add_special_tokens": false}`
		if got := ask(t, s, http.MethodPost, "/v1/completions/render", plain).Body.String(); got != `[{"token_ids":[72,105]}]` {
			t.Errorf("%s: %s", plain, got)
		}
	})
}

// TestGoneClientsFreeTheirBlocks has clients that go while their answers of 100 tokens are under way.
func TestGoneClientsFreeTheirBlocks(t *testing.T) {
	for _, stream := range []string{"true", "false"} {
		synctest.Test(t, func(t *testing.T) {
			s := started(t, smallOptions(), smallPool())
			ctx, hangUp := context.WithTimeout(t.Context(), 55*time.Millisecond)
			defer hangUp()
			body := `{"prompt": "a", "n": 3, "max_tokens": 100, "ignore_eos": true, "stream": ` + stream + `}`
			w := recorder{httptest.NewRecorder()}
			s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/completions", strings.NewReader(body)))
			m := s.engine.Metrics()
			if m.Running > 0 || m.KVUsage > 0 || s.counted.finished["abort"].Load() != 3 {
				t.Errorf("stream %s: %d running, %v of the cache in use, %d given up", stream, m.Running, m.KVUsage, s.counted.finished["abort"].Load())
			}
			// The steps until 50 ms give 5 tokens to each of 3 answers.
			if m.GenerationTokens != 15 {
				t.Errorf("stream %s: %d tokens", stream, m.GenerationTokens)
			}
		})
	}
}

// dial opens a connection and sends some of a request.
func dial(t *testing.T, at *httptest.Server, text string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestClientsThatHangUp has a client that sends a body in chunks, the last one by itself, and goes while its
// answer is computed.
func TestClientsThatHangUp(t *testing.T) {
	pool := smallPool()
	pool.Timer = constantStep(time.Hour)
	s := started(t, smallOptions(), pool)
	at := httptest.NewServer(s)
	defer at.Close()
	conn := dial(t, at, "POST /v1/completions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n"+`{"prompt": "a"}`+"\r\n")
	waitFor(t, func() bool { return s.underWay.Load() == 1 })
	if _, err := io.WriteString(conn, "0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return s.engine.Metrics().Running == 1 })
	_ = conn.Close()
	waitFor(t, func() bool { return s.engine.Metrics().Running == 0 && s.underWay.Load() == 0 })
}

// waitFor waits until something is so.
func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	tick, timeout := time.NewTicker(time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatal("it is not so after 20 s")
		}
	}
}

// TestSlowWriters has a client that never sends the end of its body.
func TestSlowWriters(t *testing.T) {
	o := smallOptions()
	o.Limits.WriteTimeout = 50 * time.Millisecond
	at := httptest.NewServer(started(t, o, smallPool()))
	defer at.Close()
	conn := dial(t, at, "POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
	answer, err := io.ReadAll(conn)
	if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 408 ")) || !bytes.Contains(answer, []byte("does not come in time")) {
		t.Errorf("%v: %s", err, answer)
	}
}

// TestWholeAnswersAreBounded has an answer after 30 ms, which the client then has a second to read.
func TestWholeAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w, begun := started(t, smallOptions(), smallPool()), &stalled{ResponseRecorder: httptest.NewRecorder()}, time.Now()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/completions", strings.NewReader(`{"prompt": "a", "max_tokens": 3, "ignore_eos": true}`)))
		if got := w.deadline.Sub(begun).Truncate(time.Microsecond); got != 1030*time.Millisecond {
			t.Errorf("the client has until %v", got)
		}
	})
}

// stalled is a client that reads nothing.
type stalled struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (s *stalled) SetWriteDeadline(at time.Time) error {
	s.deadline = at
	return nil
}

func (s *stalled) FlushError() error {
	time.Sleep(time.Until(s.deadline))
	return os.ErrDeadlineExceeded
}

func TestSlowReadersFreeTheirBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := started(t, smallOptions(), smallPool())
		body := `{"prompt": "a", "max_tokens": 190, "ignore_eos": true, "stream": true}`
		begun := time.Now()
		s.ServeHTTP(&stalled{ResponseRecorder: httptest.NewRecorder()}, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/completions", strings.NewReader(body)))
		m := s.engine.Metrics()
		if waited := time.Since(begun); waited < time.Second || waited > 1100*time.Millisecond {
			t.Errorf("given up after %v", waited)
		}
		if m.Running > 0 || m.KVUsage > 0 || s.counted.finished["abort"].Load() != 1 {
			t.Errorf("%d running, %v of the cache in use", m.Running, m.KVUsage)
		}
	})
}

func TestTooManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := smallOptions()
		o.Limits.Requests = 1
		s := started(t, o, smallPool())
		go ask(t, s, http.MethodPost, "/v1/completions", `{"prompt": "a", "max_tokens": 5}`)
		synctest.Wait()
		if got := ask(t, s, http.MethodPost, "/v1/completions", `{"prompt": "a"}`); got.Code != http.StatusServiceUnavailable {
			t.Errorf("%d %s", got.Code, got.Body)
		}
		time.Sleep(time.Second)
		if got := ask(t, s, http.MethodPost, "/v1/completions", `{"prompt": "a"}`); got.Code != http.StatusOK {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

// FuzzRequests has no body panic, and each answer be JSON or events, with a status that says so.
func FuzzRequests(f *testing.F) {
	paths := []string{
		"/v1/completions", "/v1/chat/completions", "/tokenize", "/detokenize", "/v1/load_lora_adapter", "/v1/unload_lora_adapter",
		"/v1/completions/render", "/v1/chat/completions/render",
	}
	for i, body := range []string{
		`{"prompt": "a", "max_tokens": 3, "stream": true, "stop": ["a", "b"]}`, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}], "n": 2}`,
		`{"prompt": "a"}`, `{"tokens": [1, 0, 4294967295]}`, `{"lora_name": "a", "lora_path": "b"}`, `{"lora_name": "a"}`, `{"prompt": [[1], [2]]}`, `{"messages": null}`,
	} {
		f.Add(uint8(i), body)
	}
	f.Fuzz(func(t *testing.T, path uint8, body string) {
		synctest.Test(t, func(t *testing.T) {
			s := started(t, smallOptions(), smallPool())
			got := ask(t, s, http.MethodPost, paths[int(path)%len(paths)], body)
			if got.Code != 200 && (got.Code < 400 || got.Code > 413) && got.Code != 503 {
				t.Errorf("%d %s", got.Code, got.Body)
			}
			if m := s.engine.Metrics(); m.Running+m.Waiting > 0 {
				t.Error("the engine still has a request")
			}
			_, _ = io.Copy(io.Discard, got.Body)
		})
	})
}
