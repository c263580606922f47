// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of a browser that notes what goes wrong in it.
type tab struct {
	context.Context
	mu       sync.Mutex
	faults   []string
	requests []string
}

// openTab starts a browser without a network. It skips the test if there is none.
func openTab(t testing.TB) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium on this machine")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	tab := &tab{Context: ctx}
	must(t, chromedp.Do(ctx))
	must(t, chromedp.Listen(ctx, tab.hear))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	return tab
}

// hear notes errors and requests.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			b.faults = append(b.faults, fmt.Sprintf("console.%s: %s", e.Type, e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		b.faults = append(b.faults, string(e.Entry.Level)+": "+e.Entry.Text)
	}
}

// open shows a file, and waits until its charts are drawn.
func (b *tab) open(t testing.TB, file string) {
	t.Helper()
	must(t, chromedp.Do(b, chromedp.Navigate("file://"+file)))
	_, err := chromedp.Run(b, chromedp.Poll[bool](`document.documentElement.dataset.ready === "1" && !!window.windtunnel`, chromedp.WithPollingTimeout(30*time.Second)))
	must(t, err)
}

// media sets what the reader prefers, and the medium: "" or print.
func (b *tab) media(t testing.TB, medium, scheme string) {
	t.Helper()
	_, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	must(t, err)
}

// size sets the size of the window in pixels.
func (b *tab) size(t testing.TB, width, height int64) {
	t.Helper()
	_, err := chromedp.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600,
	})
	must(t, err)
}

// shoot keeps a picture of the page in the folder that PICTURES names.
func (b *tab) shoot(t testing.TB, name string) {
	t.Helper()
	folder := os.Getenv("PICTURES")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(b, chromedp.FullScreenshot(100))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".png"), picture, 0o600))
}

// eval returns the value of an expression in the page.
func eval[T any](t testing.TB, b *tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	must(t, err)
	return value
}

// checkQuiet fails if the page logged an error, or asked for anything but itself.
func (b *tab) checkQuiet(t testing.TB, file string) {
	t.Helper()
	b.checkRequests(t, func(url string) bool { return url == "file://"+file })
}

// checkQuietWithin fails if pages logged an error, or asked for anything of another server.
func (b *tab) checkQuietWithin(t testing.TB, server string) {
	t.Helper()
	b.checkRequests(t, func(url string) bool { return strings.HasPrefix(url, server+"/") })
}

func (b *tab) checkRequests(t testing.TB, allowed func(url string) bool) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		t.Errorf("the page logged %s", fault)
	}
	for _, url := range b.requests {
		if !allowed(url) && !strings.HasPrefix(url, "data:") {
			t.Errorf("the page asked for %s", url)
		}
	}
}

// forget forgets what went wrong before.
func (b *tab) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults, b.requests = nil, nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
