// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// TestThePageOnRequestTypes runs the samples in which completions share a cluster with
// requests of another type, and holds docs/request-types.md against what they say.
func TestThePageOnRequestTypes(t *testing.T) {
	types := []string{"completion", "few-shot", "chat", "agents", "reasoning", "multimodal"}
	rows := []besideRow{besideAlone(t)}
	for _, name := range types {
		file := "simulationrun-beside-" + name + ".yaml"
		row := runBeside(t, filepath.Join(cmdtest.Samples, file))
		row.Neighbour, row.File = name, file
		rows = append(rows, row)
	}
	comparePage(t, "request-types.md", rows)
}

// comparePage holds a page of docs against its template with some data.
func comparePage(t *testing.T, name string, data any) {
	t.Helper()
	var want bytes.Buffer
	if err := template.Must(template.ParseFiles(filepath.Join("testdata", name+".tmpl"))).Execute(&want, data); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join("..", "..", "docs", name)
	golden.Check(t, page, want.Bytes())
}

// besideRow is a row of the page's table.
type besideRow struct {
	Neighbour, File, Prompt, Cached, Generated, P50, P99 string
	// OwnP99 is that of the neighbour.
	OwnP99 string
}

// besideAlone runs the first sample without its neighbour.
func besideAlone(t *testing.T) besideRow {
	raw := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "simulationrun-beside-completion.yaml"))
	before, rest, found := strings.Cut(raw, "      - name: neighbour\n")
	_, after, ends := strings.Cut(rest, "  replications:")
	if !found || !ends {
		t.Fatal("the sample has no neighbour, or does not end with replications")
	}
	row := runBeside(t, cmdtest.TempFile(t, "alone.yaml", before+"  replications:"+after))
	row = besideRow{Neighbour: "none", P50: row.P50, P99: row.P99}
	return row
}

// runBeside runs a sample and returns its row.
func runBeside(t *testing.T, file string) besideRow {
	out := jsontest.Decode[struct{ Results []result.Document }](t, []byte(mustRun(t, "run", "-f", file, "-o", "json")))
	const seconds = 300 // from the end of the warm-up to the end of the arrivals
	var prompt, generated, cached float64
	var p50, p99, own spread
	for _, r := range out.Results {
		for i := range r.Tenants {
			switch tenant := &r.Tenants[i]; tenant.Tenant {
			case "completion":
				p50.add(tenant.TTFT.P50 * 1e3)
				p99.add(tenant.TTFT.P99 * 1e3)
			case "neighbour":
				prompt += float64(tenant.Tokens.Prompt)
				generated += float64(tenant.Tokens.Output)
				cached += float64(tenant.CacheHit.GPUTokens)
				own.add(tenant.TTFT.P99 * 1e3)
			}
		}
	}
	perSecond := func(tokens float64) string { return fmt.Sprintf("%.0f", tokens/seconds/float64(len(out.Results))) }
	return besideRow{
		Prompt: perSecond(prompt), Generated: perSecond(generated), Cached: fmt.Sprintf("%.0f %%", 100*cached/max(prompt, 1)),
		P50: p50.String(), P99: p99.String(), OwnP99: own.String(),
	}
}

// spread is the mean of some numbers with the least and the greatest.
type spread struct{ sum, least, greatest, count float64 }

func (s *spread) add(x float64) {
	if s.count == 0 || x < s.least {
		s.least = x
	}
	s.sum, s.greatest, s.count = s.sum+x, max(s.greatest, x), s.count+1
}

func (s *spread) String() string { return s.in("%.1f") }

// in writes the numbers in a format.
func (s *spread) in(format string) string {
	return fmt.Sprintf(format+" ("+format+" to "+format+")", s.sum/s.count, s.least, s.greatest)
}
