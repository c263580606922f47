// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// TestFollowGoesOnWithoutAnswers follows a cluster of which a Prometheus has nothing, until it is stopped.
func TestFollowGoesOnWithoutAnswers(t *testing.T) {
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
	}))
	defer empty.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cmd := newRootCommand()
	said, stderr := io.Pipe()
	cmd.SetErr(stderr)
	cmd.SetOut(io.Discard)
	cmd.SetArgs([]string{"observe", "-f", clusterManifest, "--prometheus", empty.URL, "--follow", "--listen", "127.0.0.1:0", "--seeds", "5"})
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	lines := bufio.NewScanner(said)
	lines.Scan()
	address, _, _ := strings.Cut(lines.Text(), "/metrics")
	if lines.Scan(); !strings.Contains(lines.Text(), "nothing was measured") {
		t.Errorf("standard error has %q", lines.Text())
	}
	for path, want := range map[string]string{"/metrics": "windtunnel_look_errors_total 1", "/looks": "null", "/healthz": "ok"} {
		answer, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has %q, want %q (%v)", path, text, want, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("when it is stopped: %v", err)
	}
	if _, err := http.Get(address + "/metrics"); err == nil {
		t.Error("the port is open after the end")
	}
}

func TestFollowRefusesWhatDoesNotGoTogether(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"samples":              {[]string{"--samples", "x.json", "--follow"}, "--follow needs --prometheus"},
		"a fixed window":       {[]string{"--prometheus", "http://localhost:1", "--follow", "--from", "2026-01-05T08:00:00Z"}, "--from"},
		"no time between":      {[]string{"--prometheus", "http://localhost:1", "--follow", "--between", "0s"}, "--between must be at least 1s"},
		"a proposal alone":     {[]string{"--prometheus", "http://localhost:1", "--last", "1h", "--propose", "epp.yaml"}, "--propose needs --follow"},
		"an absent proposal":   {[]string{"--prometheus", "http://localhost:1", "--follow", "--propose", "absent.yaml"}, "absent.yaml"},
		"a port that is taken": {[]string{"--prometheus", "http://localhost:1", "--follow", "--listen", "256.0.0.1:1"}, "--listen"},
	} {
		_, err := windtunnel(t, append([]string{"observe", "-f", clusterManifest}, tc.args...)...)
		if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
		}
	}
}
