// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures of docs/ again")

// The pictures of the documentation are what a reader sees first of the pages of samples.
func TestPicturesOfTheDocumentation(t *testing.T) {
	if !*update {
		t.Skip("make screenshots takes the pictures of the documentation")
	}
	for picture, verb := range map[string][]string{
		"report-sweep.png": {"sweep", "-f", "config/samples/policysweep-gates.yaml"},
		"report-run.png":   {"run", "-f", "config/samples/simulationrun-autoscaling.yaml"},
	} {
		t.Run(picture, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report.html")
			command := exec.CommandContext(t.Context(), "go", append(append([]string{"run", "-C", "../..", "./cmd/windtunnel"}, verb...), "--report", file)...)
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			tab := openTab(t)
			tab.media(t, "", "light")
			tab.size(t, 1280, 1400)
			tab.open(t, file)
			if picture == "report-run.png" {
				eval[bool](t, tab, `(document.getElementById("latencies").scrollIntoView(), true)`)
			}
			raw, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
			must(t, err)
			must(t, os.WriteFile(filepath.Join("..", "..", "docs", picture), raw, 0o644))
		})
	}
}
