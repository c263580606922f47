// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// startServer runs the verb serve until the test ends, and returns its URL.
func startServer(t *testing.T, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	cmd := newRootCommand()
	cmd.SetArgs(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...))
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		in.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, is := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !is {
		t.Fatalf("%q %v", line, err)
	}
	return url
}

// TestServe asks the server, which then ends without an error.
func TestServe(t *testing.T) {
	url := startServer(t, "--scenario", sampleScenario, "--budget", "1", "--concurrency", "1")
	answer, err := http.Post(url+"/v1/evaluate", "application/json", strings.NewReader(`{"language": "starlark", "policy": "def score(request, endpoints):\n  return [-e.waiting for e in endpoints]\n"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"scenario":"poisson","seed":42`) {
		t.Errorf("%d %s %v", answer.StatusCode, body, err)
	}
}

func TestServeRefusesBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no scenario":             {nil, "a scenario is required"},
		"what is out of bounds":   {[]string{"--budget=-1", "--concurrency=0"}, "--budget -1: must be at least 0\n--concurrency 0"},
		"who may ask":             {[]string{"--authentication", "basic", "--scenario", sampleScenario}, `--authentication "basic": must be none or kubernetes`},
		"a certificate of none":   {[]string{"--tls-dir", "x", "--scenario", sampleScenario}, "--tls-dir needs --authentication kubernetes"},
		"no address":              {[]string{"--listen", "x", "--scenario", sampleScenario}, "--listen x"},
		"two scenarios of a name": {[]string{"--scenario", sampleScenario, "--scenario", cmdtest.Edited(t, sampleScenario, "name: poisson", "name: poisson\n  namespace: other")}, "two scenarios of the name poisson"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"serve"}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("exit code %d, %v, want %q in it; output %q", cli.ExitCode(err), err, tc.want, out)
			}
		})
	}
}
