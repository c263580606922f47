// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/wva")

const (
	answersPath       = "../../pkg/policy/autoscaling/wva/testdata/answers.json.gz"
	tokensAnswersPath = "../../pkg/policy/autoscaling/wva/testdata/answers_tokens.json.gz"
)

// Answer is a state and what the analyser says of it. pkg/policy/autoscaling/wva reads it.
type Answer struct {
	State
	Want json.RawMessage
}

// TokensAnswer is a sequence and what the analyser says of each step.
type TokensAnswer struct {
	Sequence
	Want json.RawMessage
}

func TestTheGoldenSet(t *testing.T) {
	checkout := os.Getenv("WVA_CHECKOUT")
	if checkout == "" {
		t.Skip("set WVA_CHECKOUT to a checkout of llm-d's workload-variant-autoscaler at b08b1c77 to ask the real analyser")
	}
	all := states(1000)
	decisions := ask(t, checkout, "internal/saturation", "testdata/ask.go.txt", all)
	var answers []Answer
	for i := range all {
		answers = append(answers, Answer{all[i], decisions[i]})
	}
	check(t, answersPath, marshal(t, answers))
}

func TestTheGoldenSetByTokens(t *testing.T) {
	checkout := os.Getenv("WVA_TOKENS_CHECKOUT")
	if checkout == "" {
		t.Skip("set WVA_TOKENS_CHECKOUT to a checkout of llm-d's workload-variant-autoscaler at 2976e4ee to ask the real analyser by tokens")
	}
	all := sequences(400)
	decisions := ask(t, checkout, "internal/engines/saturation", "testdata/ask_tokens.go.txt", all)
	var answers []TokensAnswer
	for i := range all {
		answers = append(answers, TokensAnswer{all[i], decisions[i]})
	}
	check(t, tokensAnswersPath, marshal(t, answers))
}

// check compares answers with those that are committed, and writes them with -update.
func check(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, compress(t, want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(want, committed(t, path)) {
		t.Error("the analyser says something else than the committed answers: run make autoscalers")
	}
}

// ask has the real analyser answer, by a program that stands in for the tests of a package.
func ask(t *testing.T, checkout, pkg, program string, all any) []json.RawMessage {
	t.Helper()
	checkout, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	replaced := map[string]string{filepath.Join(checkout, pkg, "windtunnel_test.go"): program}
	own, err := filepath.Glob(filepath.Join(checkout, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range own {
		replaced[path] = "" // its own tests need more than the module has
	}
	overlay := file("overlay.json", marshal(t, map[string]map[string]string{"Replace": replaced}))
	answers := filepath.Join(folder, "answers.json")
	cmd := exec.Command("go", "test", "-C", checkout, "-count", "1", "-overlay", overlay, "-run", "^TestAskForWindtunnel$", "./"+pkg)
	cmd.Env = append(os.Environ(), "WINDTUNNEL_STATES="+file("states.json", marshal(t, all)), "WINDTUNNEL_ANSWERS="+answers)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	raw, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	var decisions []json.RawMessage
	if err := json.Unmarshal(raw, &decisions); err != nil {
		t.Fatal(err)
	}
	return decisions
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func compress(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func committed(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// State is what the analyser is asked about.
type State struct {
	Config   wva.Config
	Replicas []wva.Replica
	State    wva.State
}
