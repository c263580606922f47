// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const quotes = `
### Kernels

[step-times.md](studies/step-times.md) compares default steps with sums of measured kernels, on A100 and H100.
%s With engine version 6 it was %s

A layer of experts against vLLM's, on H100 with 1 to 8192 tokens. %s With engine version 6 it was %s

### Whole clusters

[capacity.md](studies/capacity.md) has two published benchmarks of llm-d, with sixteen rates each. Output
tokens a second, as means over the rates: four profiles of July 2025 on vLLM 0.10,

%s
and the EPP of llm-d's guide of June 2026 against a Service, on vLLM 0.19:

%s`

// kernelsBefore and expertsBefore are the sentences of docs/studies/step-times.md at engine version 6,
// which charged experts the larger of reading and multiplying, with the shares of other matrices.
const (
	kernelsBefore = "55 of 68 (0.85 to 1.30) of whole steps, 35 of 68 (0.71 to 1.04) of the work."
	expertsBefore = "55 of 105 (0.06 to 1.45) with tensor parallelism, 15 of 49 (0.05 to 1.21) with expert parallelism."
)

// onOtherPages quotes the figures that other generated pages have.
func (v *validation) onOtherPages(b *bytes.Buffer) {
	steps := v.page("studies/step-times.md")
	kernels, experts := kernelSentence(section(steps, "## Decode")), kernelSentence(section(steps, "## Experts"))
	capacity := v.page("studies/capacity.md")
	fmt.Fprintf(b, quotes, kernels, kernelsBefore, experts, expertsBefore,
		table(section(capacity, "## All rates together")), table(section(capacity, `## The guide "optimized baseline" of 2026`)))
}

// kernelSentence is the first sentence of a text that counts what is near to measured kernels.
func kernelSentence(text string) string {
	_, after, _ := strings.Cut(text, "Within ")
	sentence, _, _ := strings.Cut(after, "\n")
	return "Within " + sentence
}

// page is a page of docs.
func (v *validation) page(name string) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// section is a page from a heading on, or empty.
func section(page, heading string) string {
	_, rest, _ := strings.Cut(page, heading+"\n")
	return rest
}

// table is the first Markdown table of a text.
func table(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "|"):
			b.WriteString(line)
		case b.Len() > 0:
			return b.String()
		}
	}
	return b.String()
}

func TestTheFirstTableOfASection(t *testing.T) {
	page := "| a |\n|---|\n\n## B\ntext\n\n| b |\n|---|\n| 1 |\n\n| c |\n"
	if got, want := table(section(page, "## B")), "| b |\n|---|\n| 1 |\n"; got != want {
		t.Errorf("the table is %q, want %q", got, want)
	}
}
