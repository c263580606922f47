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

const answersPath = "../../pkg/policy/autoscaling/wva/testdata/answers.json.gz"

// Answer is a state and what the analyser says of it. pkg/policy/autoscaling/wva reads it.
type Answer struct {
	State
	Want json.RawMessage
}

func TestTheGoldenSet(t *testing.T) {
	checkout := os.Getenv("WVA_CHECKOUT")
	if checkout == "" {
		t.Skip("set WVA_CHECKOUT to a checkout of llm-d's workload-variant-autoscaler at b08b1c77 to ask the real analyser")
	}
	all := states(1000)
	decisions := ask(t, checkout, all)
	var answers []Answer
	for i := range all {
		answers = append(answers, Answer{all[i], decisions[i]})
	}
	want := marshal(t, answers)
	if *update {
		if err := os.WriteFile(answersPath, compress(t, want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(want, committed(t)) {
		t.Error("the analyser says something else than the committed answers: run make autoscalers")
	}
}

// ask has the real analyser answer states.
func ask(t *testing.T, checkout string, all []State) []json.RawMessage {
	t.Helper()
	checkout, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs("testdata/ask.go.txt")
	if err != nil {
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
	laid := filepath.Join(checkout, "internal", "saturation", "windtunnel_test.go")
	overlay := file("overlay.json", marshal(t, map[string]map[string]string{"Replace": {laid: program}}))
	answers := filepath.Join(folder, "answers.json")
	cmd := exec.Command("go", "test", "-C", checkout, "-count", "1", "-overlay", overlay, "-run", "^TestAskForWindtunnel$", "./internal/saturation")
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

func committed(t *testing.T) []byte {
	t.Helper()
	file, err := os.Open(answersPath)
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
