// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// The command shows files until it is told to end.
func TestADashboardOfFiles(t *testing.T) {
	file := cmdtest.TempFile(t, "run.json", mustRun(t, "run", "-f", cmdtest.PoissonSample, "-o", "json"))
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		cmd := newRootCommand()
		cmd.SetArgs([]string{"dashboard", filepath.Dir(file), "--listen", "127.0.0.1:0"})
		cmd.SetOut(in)
		cmd.SetErr(io.Discard)
		ended <- cmd.ExecuteContext(ctx)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "The dashboard is at ")
	if err != nil || !found {
		t.Fatalf("%q, %v", line, err)
	}
	response, err := http.Get(url + "namespaces/default/simulationruns/poisson")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(text), "the worst ttft.p99 first") {
		t.Errorf("status %d, %v:\n%s", response.StatusCode, err, text)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestDashboardRefuses(t *testing.T) {
	empty := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"an address for others":      {[]string{"dashboard", empty, "--listen", ":8080"}, "must be a loopback address"},
		"an address that is none":    {[]string{"dashboard", empty, "--listen", "x"}, "--listen x"},
		"a namespace and all":        {[]string{"dashboard", "-A", "-n", "a"}, "use it without --namespace"},
		"a namespace of files":       {[]string{"dashboard", empty, "-n", "a"}, "leave out --namespace: this command reads nothing from a cluster"},
		"a folder without results":   {[]string{"dashboard", empty}, "there is no output of run -o json or sweep -o json"},
		"a folder that is not there": {[]string{"dashboard", filepath.Join(empty, "none")}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, test.args...)
			if err == nil || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want exit code 2 and %q; output %q", err, test.want, out)
			}
		})
	}
}
