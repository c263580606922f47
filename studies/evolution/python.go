// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	_ "embed" // the driver
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// driver stands for the framework: it calls a shim for each line of its input.
//
//go:embed driver.py
var driver string

// asked is how a loop asks for summaries.
func asked(summary bool) insight.Strategy {
	if summary {
		return insight.IssueFocused
	}
	return evaluate.NoSummary
}

// pythonDoor asks a shim, which asks a server.
type pythonDoor struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

// newPythonDoor starts an interpreter that calls the shim of a framework.
func newPythonDoor(ctx context.Context, shims, framework, url string) (*pythonDoor, error) {
	folder, err := filepath.Abs(shims)
	if err != nil {
		return nil, err
	}
	d := &pythonDoor{command: exec.CommandContext(ctx, "python3", "-B", "-c", driver, framework)}
	d.command.Env = append(os.Environ(), "PYTHONPATH="+folder, "WINDTUNNEL_URL="+url, "WINDTUNNEL_SCENARIOS=apps")
	d.command.Stderr = os.Stderr
	if d.in, err = d.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.out = json.NewDecoder(bufio.NewReader(out))
	return d, d.command.Start()
}

func (d *pythonDoor) evaluate(_ context.Context, source string, seed int64, summary bool) (float64, string, error) {
	question := map[string]any{"source": source, "seed": seed, "summary": asked(summary)}
	if err := json.NewEncoder(d.in).Encode(question); err != nil {
		return 0, "", fmt.Errorf("ask a shim: %w", err)
	}
	var answer struct {
		Score float64
		Text  string
	}
	if err := d.out.Decode(&answer); err != nil {
		return 0, "", fmt.Errorf("the answer of a shim: %w", err)
	}
	return answer.Score, answer.Text, nil
}

func (d *pythonDoor) close() error {
	_ = d.in.Close()
	return d.command.Wait()
}
