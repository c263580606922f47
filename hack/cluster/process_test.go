// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// sleeper starts a program that does nothing.
func sleeper(t *testing.T) (process, string) {
	t.Helper()
	binary, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("sleep is not on the PATH, and it is the process that is recorded and stopped")
	}
	if binary, err = filepath.EvalSymlinks(binary); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	record := filepath.Join(dir, "sleeper")
	proc, err := spawn(program{name: "sleeper", binary: binary, args: []string{"60"}}, record, filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proc.end(context.Background(), 0); err != nil {
			t.Error(err)
		}
	})
	return proc, record
}

func TestARecordedProcessIsFoundAndEnded(t *testing.T) {
	proc, record := sleeper(t)
	found, ok, err := recorded(record)
	if err != nil || !ok || found != proc {
		t.Fatalf("recorded gives %+v, %t, %v; want %+v", found, ok, err, proc)
	}
	// Between fork and exec it is still the test binary.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err = poll(ctx, func(context.Context) error {
		if !found.alive() {
			return errors.New("not alive")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := found.end(ctx, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if found.alive() {
		t.Error("it is alive after its end")
	}
}

// A pid is given away again: what runs under it now is none of ours.
func TestAnotherProcessOfThePidIsLeftAlone(t *testing.T) {
	proc, _ := sleeper(t)
	for name, stranger := range map[string]process{
		"which began at another time": {pid: proc.pid, started: proc.started + "1", binary: proc.binary},
		"which is another program":    {pid: proc.pid, started: proc.started, binary: "/bin/other"},
	} {
		t.Run(name, func(t *testing.T) {
			if stranger.alive() {
				t.Error("it is taken for the recorded one")
			}
			if err := stranger.end(context.Background(), 0); err != nil {
				t.Error(err)
			}
			if _, err := startTime(proc.pid); err != nil {
				t.Error("it was killed")
			}
		})
	}
}

func TestNoRecordIsNoProcess(t *testing.T) {
	if _, ok, err := recorded(filepath.Join(t.TempDir(), "none")); ok || err != nil {
		t.Errorf("recorded gives %t, %v", ok, err)
	}
}
