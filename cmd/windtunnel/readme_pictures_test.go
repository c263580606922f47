// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/golden"
)

// TestReadmePictures draws the pictures of the README and compares them with the
// files in docs. The -update flag writes the files.
func TestReadmePictures(t *testing.T) {
	readme := cmdtest.TextOf(t, "../../README.md")
	page := cmdtest.TextOf(t, "../../docs/first-sweep.md")
	manifest := "apiVersion: sim.windtunnel.dev" + cmdtest.Between(t, page, "```yaml\napiVersion: sim.windtunnel.dev", "```\n")
	out := mustRun(t, "sweep", "-f", cmdtest.TempFile(t, "sweep.yaml", manifest), "-o", "json")
	for name, picture := range map[string]string{
		"architecture": architecture(),
		"result":       resultChart(estimates(t, out)),
	} {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, "../../docs/"+name+".svg", picture)
			if !strings.Contains(readme, "](docs/"+name+".svg)") {
				t.Errorf("the README does not show docs/%s.svg", name)
			}
		})
	}
}

// estimate is the P99 of TTFT of one prefix weight, in seconds, with the interval of
// its mean.
type estimate struct{ weight, mean, low, high float64 }

// estimates reads the leaderboard of a sweep and sorts it by weight.
func estimates(t *testing.T, out string) []estimate {
	t.Helper()
	var sweep struct {
		Leaderboard struct {
			Candidates []struct {
				Parameters []struct{ Value string }
				Metrics    map[string]struct{ Mean, Low, High float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &sweep); err != nil {
		t.Fatal(err)
	}
	var all []estimate
	for _, c := range sweep.Leaderboard.Candidates {
		weight, err := strconv.ParseFloat(c.Parameters[0].Value, 64)
		if err != nil {
			t.Fatal(err)
		}
		ttft := c.Metrics["ttft.p99"]
		all = append(all, estimate{weight, ttft.Mean, ttft.Low, ttft.High})
	}
	if len(all) == 0 {
		t.Fatal("the sweep lists no candidates")
	}
	slices.SortFunc(all, func(a, b estimate) int { return int(math.Copysign(1, a.weight-b.weight)) })
	return all
}

// The colours of the pictures. Each picture has a white ground of its own, so that its
// text is readable on light and on dark pages.
const (
	ink   = "#1a1a1a"
	grey  = "#666666"
	rule  = "#dddddd"
	blue  = "#4477aa"
	paper = "#eef3f8"
)

// svg collects the elements of a picture.
type svg struct{ strings.Builder }

func newSVG(width, height int, title string) *svg {
	s := &svg{}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(s, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(s, `<rect width="%d" height="%d" rx="8" fill="white"/>`+"\n", width, height)
	return s
}

func (s *svg) text(x, y float64, anchor, colour, text string) {
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, html.EscapeString(text))
}

func (s *svg) line(x1, y1, x2, y2 float64, colour string, width int) {
	fmt.Fprintf(s, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%d"/>`+"\n", x1, y1, x2, y2, colour, width)
}

// box draws a rectangle with a name and lines of detail.
func (s *svg) box(x, y, width, height float64, name string, detail ...string) {
	fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="%s" stroke="%s"/>`+"\n", x, y, width, height, paper, blue)
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" text-anchor="middle" font-weight="bold" fill="%s">%s</text>`+"\n", x+width/2, y+21, ink, html.EscapeString(name))
	for i, line := range detail {
		s.text(x+width/2, y+40+float64(i)*17, "middle", ink, line)
	}
}

// arrow draws a horizontal or vertical arrow.
func (s *svg) arrow(x1, y1, x2, y2 float64) {
	s.line(x1, y1, x2, y2, grey, 2)
	const size = 5
	if y1 == y2 {
		fmt.Fprintf(s, `<path d="M%.1f %.1f l%d %d v%d z" fill="%s"/>`+"\n", x2, y2, -size*2, -size, size*2, grey)
		return
	}
	fmt.Fprintf(s, `<path d="M%.1f %.1f l%d %d h%d z" fill="%s"/>`+"\n", x2, y2, -size, -size*2, size*2, grey)
}

func (s *svg) end() string {
	return s.String() + "</svg>\n"
}

// architecture shows how a manifest becomes a verdict.
func architecture() string {
	s := newSVG(760, 400, "How Windtunnel turns a manifest into a verdict")
	s.box(20, 30, 190, 92, "Manifest", "SimulationRun or", "PolicySweep, EPP file,", "workload, SLOs, gates")
	s.box(290, 20, 200, 50, "windtunnel sweep", "on this machine")
	s.box(290, 85, 200, 50, "Operator and Jobs", "on a cluster")
	s.box(570, 30, 170, 92, "Result", "leaderboard, intervals,", "gates and verdict,", "promoted EPP file")
	s.arrow(210, 45, 290, 45)
	s.arrow(210, 110, 290, 110)
	s.arrow(490, 45, 570, 45)
	s.arrow(490, 110, 570, 110)
	s.arrow(390, 135, 390, 175)
	s.text(400, 160, "start", grey, "one simulation for each candidate and seed")

	fmt.Fprintf(s, `<rect x="20" y="175" width="720" height="205" rx="8" fill="none" stroke="%s" stroke-dasharray="5 4"/>`+"\n", grey)
	s.text(32, 195, "start", grey, "Deterministic discrete-event simulator")
	s.box(40, 215, 130, 145, "Workload", "traces, clients,", "sessions, tenants,", "shared prefixes")
	s.box(220, 215, 230, 145, "Router (EPP semantics)", "flow control, filters,", "scorers, picker; prefix", "index and scraped", "metrics, each as stale", "as configured")
	s.box(500, 215, 220, 145, "Replicas (vLLM style)", "batching, chunked prefill,", "preemption, KV blocks,", "prefix cache, KV tiers,", "prefill–decode transfers,", "roofline step times")
	s.arrow(170, 287, 220, 287)
	s.arrow(450, 287, 500, 287)
	return s.end()
}

// resultChart draws the estimates over the weight; the axis of TTFT is logarithmic.
func resultChart(all []estimate) string {
	const width, height, left, right, top, bottom = 760, 360, 80, 20, 60, 60
	const lowest, highest = 1, 5 // 10 ms and 100 s, as powers of ten of milliseconds
	y := func(seconds float64) float64 {
		power := min(max(math.Log10(max(seconds*1000, 1e-9)), lowest), highest)
		return height - bottom - (power-lowest)/(highest-lowest)*(height-top-bottom)
	}
	x := func(i int) float64 {
		return left + (float64(i)+0.5)*(width-left-right)/float64(len(all))
	}
	s := newSVG(width, height, "P99 of TTFT by weight of the prefix scorer")
	s.text(left, 26, "start", ink, "P99 of TTFT by weight of prefix-cache-scorer (less is better; logarithmic)")
	s.text(left, 45, "start", grey, "mean and 95 % confidence interval over 3 seeds; 4 replicas, 2000 requests")
	for power, name := range []string{"10 ms", "100 ms", "1 s", "10 s", "100 s"} {
		at := y(math.Pow10(power+lowest) / 1000)
		s.line(left, at, width-right, at, rule, 1)
		s.text(left-8, at+4, "end", ink, name)
	}
	for i, e := range all {
		s.line(x(i), y(e.low), x(i), y(e.high), blue, 2)
		s.line(x(i)-8, y(e.low), x(i)+8, y(e.low), blue, 2)
		s.line(x(i)-8, y(e.high), x(i)+8, y(e.high), blue, 2)
		fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/>`+"\n", x(i), y(e.mean), blue)
		s.text(x(i)+12, y(e.mean)+4, "start", ink, latencyText(e.mean))
		s.text(x(i), height-bottom+20, "middle", ink, strconv.FormatFloat(e.weight, 'g', -1, 64))
	}
	s.text((left+width-right)/2, height-15, "middle", ink, "weight of prefix-cache-scorer; queue-scorer and kv-cache-utilization-scorer have 2 each")
	return s.end()
}

func latencyText(seconds float64) string {
	if seconds >= 1 {
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	}
	return strconv.FormatFloat(seconds*1000, 'f', 0, 64) + " ms"
}
