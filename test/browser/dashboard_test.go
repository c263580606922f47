// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/folder"
)

// command builds the command once.
var command = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "windtunnel-browser-")
	if err != nil {
		return "", err
	}
	binaries = folder
	binary := filepath.Join(folder, "windtunnel")
	build := exec.Command("go", "build", "-o", binary, "./cmd/windtunnel")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build windtunnel: %w\n%s", err, out)
	}
	return binary, nil
})

// root is the repository.
const root = "../.."

// binaries is the folder of the built command.
var binaries string

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// printedBy writes what the command prints of a sample.
func printedBy(t *testing.T, to string, words ...string) {
	t.Helper()
	binary, err := command()
	must(t, err)
	cmd := exec.Command(binary, words...)
	cmd.Dir = root
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		t.Fatalf("windtunnel %s: %v\n%s", strings.Join(words, " "), err, faults.String())
	}
	must(t, os.WriteFile(to, out.Bytes(), 0o600))
}

// showFiles serves the dashboard of files.
func showFiles(t *testing.T, files string) string {
	t.Helper()
	server := httptest.NewServer(dashboard.New(dashboard.Options{
		Source: folder.New(clock.RealClock{}, files), Guard: dashboard.Everyone{}, Hosts: []string{"127.0.0.1"}, About: files, Log: logr.Discard(),
	}).Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// resultsOf are two objects: a sweep with gates, and a run.
func resultsOf(t *testing.T) string {
	t.Helper()
	files := t.TempDir()
	printedBy(t, filepath.Join(files, "gates.json"), "sweep", "-f", "config/samples/policysweep-gates.yaml", "-o", "json")
	printedBy(t, filepath.Join(files, "poisson.json"), "run", "-f", "config/samples/simulationrun-poisson.yaml", "-o", "json")
	hostileRun := `{"kind":"SimulationRun","metadata":{"name":` + jsonText(hostile) + `,"namespace":` + jsonText(hostile) + `},"status":{"warnings":[` + jsonText(hostile) + `]},"rows":[]}`
	must(t, os.WriteFile(filepath.Join(files, "hostile.json"), []byte(hostileRun), 0o600))
	return files
}

func jsonText(text string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `/`, `\/`).Replace(text) + `"`
}

// at shows a page of a server.
func (b *tab) at(t *testing.T, url string) {
	t.Helper()
	must(t, chromedp.Do(b, chromedp.Navigate(url)))
}

// TestPagesOfTheDashboard looks at each page, in each scheme and at 360 pixels.
func TestPagesOfTheDashboard(t *testing.T) {
	tab := openTab(t)
	server := showFiles(t, resultsOf(t))
	sweep := server + "/namespaces/default/policysweeps/gates"
	run := server + "/namespaces/default/simulationruns/poisson"
	for name, address := range map[string]string{
		"dashboard list":    server + "/",
		"dashboard sweep":   sweep,
		"dashboard status":  sweep + "/status",
		"dashboard points":  sweep + "/points",
		"dashboard point":   sweep + "/points/4",
		"dashboard compare": sweep + "/compare?a=2&b=4",
		"dashboard run":     run,
		"dashboard seed":    run + "/points/0/seeds/42",
		"dashboard hostile": server + "/namespaces/" + url.PathEscape(hostile) + "/simulationruns/" + url.PathEscape(hostile),
	} {
		t.Run(name, func(t *testing.T) {
			tab.forget()
			tab.size(t, 1280, 900)
			tab.media(t, "", "light")
			tab.at(t, address)
			tab.shoot(t, name+" light")
			tab.media(t, "", "dark")
			tab.shoot(t, name+" dark")
			tab.media(t, "", "light")
			tab.size(t, 360, 740)
			// Charts follow the window a moment later.
			const fits = `document.documentElement.scrollWidth <= document.documentElement.clientWidth`
			if _, err := chromedp.Run(tab, chromedp.Poll[bool](fits, chromedp.WithPollingTimeout(5*time.Second))); err != nil {
				t.Errorf("the page is wider than a window of 360 pixels: %v", err)
			}
			tab.shoot(t, name+" 360")
			checkAccessible(t, tab)
			if n := eval[int](t, tab, `[...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length`); n != 0 {
				t.Errorf("%d elements have inline handlers", n)
			}
			tab.checkQuietWithin(t, server)
		})
	}
}
