// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/observe"
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
	for path, want := range map[string]string{"/metrics": "windtunnel_look_errors_total 1", "/looks": "[]", "/healthz": "ok"} {
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

// TestAnAPIServerThatDoesNotAnswerEndsALook has one that takes a request and says nothing.
func TestAnAPIServerThatDoesNotAnswerEndsALook(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: %q}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n", silent.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := windtunnel(t, "observe", "chat", "--kubeconfig", config, "--prometheus", silent.URL, "--follow", "--timeout", "50ms")
	if late := net.Error(nil); !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("the error is %v, want a time-out", err)
	}
}

// TestLooksAreKeptForADay adds looks each minute for a day and an hour, and then each second until there are too many. The
// first and the last one of a day are 24 hours apart.
func TestLooksAreKeptForADay(t *testing.T) {
	var k kept
	at := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	add := func(n int, between time.Duration) {
		for range n {
			if err := k.add(&observe.Look{Report: &observe.Report{To: at}, Forecast: &observe.Forecast{}}); err != nil {
				t.Fatal(err)
			}
			at = at.Add(between)
		}
	}
	add(25*60, time.Minute)
	if len(k.looks) != 24*60+1 {
		t.Errorf("%d looks are kept", len(k.looks))
	}
	add(mostLooks+1, time.Second)
	var text strings.Builder
	if err := k.write(&text); err != nil {
		t.Fatal(err)
	}
	if n := len(jsontest.Decode[[]observe.Look](t, []byte(text.String()))); n != mostLooks {
		t.Errorf("%d looks are served", n)
	}
}

// TestFollowNeedsTrafficThatGoesOn measures something, so that there is a prediction, for which the scenario has one
// request and no more.
func TestFollowNeedsTrafficThatGoesOn(t *testing.T) {
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var from, to int
		_, _ = fmt.Sscan(r.FormValue("start"), &from)
		_, _ = fmt.Sscan(r.FormValue("end"), &to)
		values := strings.Builder{}
		for at := from; at <= to; at += 15 {
			fmt.Fprintf(&values, `,[%d,"3"]`, at)
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"vllm:num_requests_running","pod":"a"},"values":[%s]}]}}`, values.String()[1:])
	}))
	defer prometheus.Close()
	trace := cmdtest.TempFile(t, "one.jsonl", `{"windtunnel_trace": 1}`+"\n"+`{"arrival_ns": 0, "input_tokens": 10, "output_tokens": 5}`+"\n")
	text := cmdtest.TextOf(t, clusterManifest)
	text = text[:strings.Index(text, "      clients:\n")] + "      trace: {format: Windtunnel, file: " + trace + "}\n"
	_, err := windtunnel(t, "observe", "-f", cmdtest.TempFile(t, "run.yaml", text), "--prometheus", prometheus.URL, "--follow", "--listen", "127.0.0.1:0", "--seeds", "5")
	if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), "the last request of the scenario arrives after 0s, but 10m0s of traffic are needed") {
		t.Errorf("the error is %v", err)
	}
}

func TestFollowRefusesWhatDoesNotGoTogether(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"samples":               {[]string{"--samples", "x.json", "--follow"}, "--follow needs --prometheus"},
		"a fixed window":        {[]string{"--prometheus", "http://localhost:1", "--follow", "--from", "2026-01-05T08:00:00Z"}, "--from"},
		"no time between":       {[]string{"--prometheus", "http://localhost:1", "--follow", "--between", "0s"}, "--between must be at least 1s"},
		"a proposal alone":      {[]string{"--prometheus", "http://localhost:1", "--last", "1h", "--propose", "epp.yaml"}, "--propose needs --follow"},
		"a pool alone":          {[]string{"--prometheus", "http://localhost:1", "--last", "1h", "--inference-pool", "llama"}, "--inference-pool needs --follow"},
		"a condition of a file": {[]string{"--prometheus", "http://localhost:1", "--follow", "--condition"}, "--condition needs a SimulationRun of the cluster: name it in place of -f"},
		"an absent proposal":    {[]string{"--prometheus", "http://localhost:1", "--follow", "--propose", "absent.yaml"}, "absent.yaml"},
		"two sources":           {[]string{"--prometheus", "http://localhost:1", "--samples", "x.json", "--follow"}, "one source is required"},
		"a negative window":     {[]string{"--prometheus", "http://localhost:1", "--follow", "--last", "-5m"}, "--last"},
		"a short window":        {[]string{"--prometheus", "http://localhost:1", "--follow", "--last", "20s"}, "fewer than 4 samples"},
		"no Prometheus":         {[]string{"--prometheus", "localhost", "--follow"}, "--prometheus"},
		"no token":              {[]string{"--prometheus", "http://localhost:1", "--follow", "--bearer-token-file", "absent"}, "--bearer-token-file"},
		"standard input":        {[]string{"--prometheus", "http://localhost:1", "--follow", "--propose", "-"}, "--propose needs a file"},
		"a port that is taken":  {[]string{"--prometheus", "http://localhost:1", "--follow", "--listen", taken.Listener.Addr().String()}, "--listen: listen tcp "},
		"no address":            {[]string{"--prometheus", "http://localhost:1", "--follow", "--listen", "256.0.0.1:1"}, "--listen"},
	} {
		_, err := windtunnel(t, append([]string{"observe", "-f", clusterManifest}, tc.args...)...)
		if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
		}
	}
}
