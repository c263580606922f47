// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m) }

const sampleScenario = "../../config/samples/simulationrun-poisson.yaml"

// startEngine runs the verb engine until stop, which returns its error. It returns the URLs of the replicas.
func startEngine(t *testing.T, replicas int, args ...string) (urls []string, stop func() error) {
	t.Helper()
	return startEngineOf(t, replicas, append([]string{"-f", sampleScenario, "--port", "0"}, args...)...)
}

// startEngineOf is startEngine of any scenario.
func startEngineOf(t *testing.T, replicas int, args ...string) (urls []string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	cmd := NewRoot()
	cmd.SetArgs(append([]string{"engine"}, args...))
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		in.CloseWithError(io.EOF)
		ended <- err
	}()
	lines := bufio.NewScanner(out)
	for len(urls) < replicas && lines.Scan() {
		urls = append(urls, regexp.MustCompile(`http://\S+`).FindString(lines.Text()))
	}
	if len(urls) < replicas {
		cancel()
		t.Fatal(<-ended)
	}
	return urls, func() error {
		cancel()
		return <-ended
	}
}

func TestEngine(t *testing.T) {
	urls, stop := startEngine(t, 2, "--pool", "llama", "--replicas", "2", "--speed", "100", "--address", "127.0.0.1,127.0.0.2")
	for i, url := range urls {
		answer, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(`{"prompt": "Once upon a time", "max_tokens": 40}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"model":"meta-llama/Llama-3.1-8B-Instruct"`) {
			t.Errorf("%d %s %v", answer.StatusCode, body, err)
		}
		if want := []string{"http://127.0.0.1:", "http://127.0.0.2:"}[i]; !strings.HasPrefix(url, want) {
			t.Errorf("replica %d is at %s", i, url)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, url := range urls {
		if _, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestEngineListensOnLoopback has no flag that asks for more.
func TestEngineListensOnLoopback(t *testing.T) {
	urls, stop := startEngine(t, 4)
	for _, url := range urls {
		at, err := net.ResolveTCPAddr("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil || !at.IP.IsLoopback() {
			t.Errorf("%s %v", url, err)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestEngineRefusesBadInput(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	run, _ := cmdtest.Runners(NewRoot)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no scenario":            {nil, "a manifest is required"},
		"what is out of bounds":  {[]string{"--speed", "0", "--max-requests", "0", "--port", "70000"}, "--port 70000: must be from 0 to 65535\n--speed 0: must be above 0, and at most 1000\n--max-requests 0"},
		"replicas of which pool": {[]string{"-f", sampleScenario, "--replicas", "2"}, "--replicas needs --pool"},
		"an unknown pool":        {[]string{"-f", sampleScenario, "--pool", "lama"}, "--pool lama: the scenario has the pools llama"},
		"an unknown release":     {[]string{"-f", sampleScenario, "--vllm-version", "1.0"}, "from 0.8 to 0.29"},
		"a name as an address":   {[]string{"-f", sampleScenario, "--address", "localhost"}, `--address "localhost": must be an IP address`},
		"KV events nowhere":      {[]string{"-f", sampleScenario, "--kv-events", "*:5557"}, `--kv-events: "*:5557" must be tcp://HOST:PORT`},
		"a replay of no events":  {[]string{"-f", sampleScenario, "--kv-events-replay", "tcp://*:6557"}, "--kv-events-replay needs --kv-events"},
		"a replay elsewhere":     {[]string{"-f", sampleScenario, "--kv-events", "tcp://epp:5557", "--kv-events-replay", "tcp://epp:6557"}, "--kv-events-replay: replicas listen there: use tcp://*:PORT"},
		"too few addresses":      {[]string{"-f", sampleScenario, "--address", "127.0.0.1,127.0.0.2"}, "there are 2 addresses for 4 replicas"},
		"a port that is taken":   {[]string{"-f", sampleScenario, "--port", port}, "address already in use"},
		"a model of no name":     {[]string{"-f", sampleScenario, "--served-model-name", "llama,"}, "--served-model-name must not be empty"},
		"no tokeniser":           {[]string{"-f", sampleScenario, "--tokenizer", "/nowhere/tokenizer.json"}, "--tokenizer: open /nowhere/tokenizer.json: no such file"},
		"another tokeniser":      {[]string{"-f", sampleScenario, "--tokenizer", "testdata/run.yaml"}, "--tokenizer testdata/run.yaml: not a tokenizer.json"},
		"a setting":              {[]string{"-f", sampleScenario, "--set", "pools[llama].replicas=0"}, "pools[0].replicas: Invalid value: 0"},
	} {
		out, err := run(t, append([]string{"engine"}, tc.args...)...)
		if err == nil || !strings.Contains(err.Error(), tc.want) || cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: exit code %d: %v\n%s", name, cli.ExitCode(err), err, out)
		}
	}
}
