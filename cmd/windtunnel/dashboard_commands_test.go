// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/folder"
)

var commandBlock = regexp.MustCompile(`(?s)<pre class="command"[^>]*>(.*?)</pre>`)

// The commands that a page gives for a seed of a printed sweep do what the page says.
func TestTheCommandsOfASeedRun(t *testing.T) {
	file := cmdtest.GatesSample(t)
	printed := mustRun(t, "sweep", "-f", file, "-o", "json")
	results := cmdtest.TempFile(t, "sweep.json", printed)
	best := regexp.MustCompile(`"best":\s*\{\s*"point":\s*(\d+)`).FindStringSubmatch(printed)
	seed := regexp.MustCompile(`"seed":\s*(\d+)`).FindStringSubmatch(printed)
	if best == nil || seed == nil {
		t.Fatalf("no best point and no seed in\n%s", printed)
	}
	server := httptest.NewServer(dashboard.New(dashboard.Options{
		Source: folder.New(clock.RealClock{}, results), Guard: dashboard.Everyone{}, Log: logr.Discard(), Clock: clock.RealClock{},
	}).Handler())
	defer server.Close()
	response, err := http.Get(server.URL + fmt.Sprintf("/namespaces/default/policysweeps/gates/points/%s/seeds/%s", best[1], seed[1]))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	block := commandBlock.FindSubmatch(text)
	if block == nil {
		t.Fatalf("no commands on the page:\n%s", text)
	}
	t.Chdir(t.TempDir())
	filled := strings.NewReplacer("MANIFEST", file, "REQUEST", "7").Replace(html.UnescapeString(string(block[1])))
	for command := range strings.Lines(filled) {
		out := mustRun(t, strings.Fields(command)[1:]...)
		if strings.Contains(command, "--explain") && !strings.Contains(out, "request 7, seed "+seed[1]) {
			t.Errorf("%s explains another request:\n%s", command, out)
		}
	}
}
