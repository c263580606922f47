// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The documentation opens from a folder, finds what a reader looks for, and fits into each window.
func TestTheDocumentationIsASite(t *testing.T) {
	tab := openTab(t)
	folder := filepath.Join(t.TempDir(), "site")
	build := exec.CommandContext(t.Context(), "go", "run", "-C", "../../hack/site", ".", "-o", folder)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, page := range []string{"docs/reference.html", "docs/tasks/capacity.html", "index.html"} {
		tab.size(t, 1280, 900)
		must(t, chromedp.Do(tab, chromedp.Navigate("file://"+filepath.Join(folder, page))))
		tab.shoot(t, "site "+filepath.Base(page))
		tab.size(t, 360, 740)
		if eval[bool](t, tab, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
			t.Errorf("%s is wider than a window of 360 pixels", page)
		}
	}
	must(t, chromedp.Do(tab, chromedp.SendKeys("#query", "successive halving")))
	_, err := chromedp.Run(tab, chromedp.Poll[bool](`document.querySelectorAll("#found li").length > 0`, chromedp.WithPollingTimeout(10*time.Second)))
	must(t, err)
	tab.shoot(t, "site search")
	if found := eval[string](t, tab, `document.getElementById("found").textContent`); !strings.Contains(found, "Which search finds") {
		t.Errorf("a search for successive halving does not find the page on searches: %s", found)
	}
	tab.checkWithin(t, folder)
	// axe-core loads style sheets again, which a page from a folder may not.
	checkAccessible(t, tab)
}

// checkWithin fails if pages logged an error, or asked for anything outside their folder.
func (b *tab) checkWithin(t *testing.T, folder string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		t.Errorf("the site logged %s", fault)
	}
	for _, url := range b.requests {
		if !strings.HasPrefix(url, "file://"+folder) && !strings.HasPrefix(url, "data:") {
			t.Errorf("the site asked for %s", url)
		}
	}
}
