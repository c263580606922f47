// SPDX-License-Identifier: Apache-2.0

package start

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// The questions ask for what no flag says, and ask again where an answer is wrong.
func TestInitAsks(t *testing.T) {
	epp := filepath.Join("..", "..", "config", "samples", "tasks", "values.yaml")
	var out bytes.Buffer
	found := NewInitCommand()
	if err := found.ParseFlags([]string{"--model", "m"}); err != nil {
		t.Fatal(err)
	}
	answers := "walk\nsweep\n\nnone\n5\n/nowhere\n" + epp + "\n\nRAG\n1.5\n\nout.yaml\n"
	q := newQuestions(strings.NewReader(answers), &out, found.Flags())
	if err := (&InitOptions{}).Ask(q); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range []string{"kind", "model", "accelerator", "replicas", "epp", "trace", "preset", "rate", "ttft", "output"} {
		got[name] = found.Flags().Lookup(name).Value.String()
	}
	want := map[string]string{
		"kind": "sweep", "model": "m", "accelerator": "h100-sxm", "replicas": "5", "epp": epp, "trace": "", "preset": "RAG", "rate": "1.5", "ttft": "2s", "output": "out.yaml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, &out)
	}
	for _, words := range []string{"it must be one of run, sweep", `invalid argument "none" for "--replicas" flag`, "no such file", "[Chatbot]: "} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("there is no %q in\n%s", words, &out)
		}
	}
	if err := (&InitOptions{}).Ask(newQuestions(strings.NewReader("run\n"), &out, NewInitCommand().Flags())); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("an input that ends: %v", err)
	}
}
