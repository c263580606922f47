// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

func TestWriteWholeKeepsDevices(t *testing.T) {
	name := filepath.Join(t.TempDir(), "device")
	if err := os.Symlink(os.DevNull, name); err != nil {
		t.Fatal(err)
	}
	err := cli.WriteWhole(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := os.Lstat(name); err != nil || at.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the name of the device is %v now (%v)", at.Mode(), err)
	}
}

func TestWriteWholeWritesAllOrNothing(t *testing.T) {
	name, fault := filepath.Join(t.TempDir(), "file"), errors.New("fault")
	err := cli.WriteWhole(name, func(w io.Writer) error {
		_, _ = io.WriteString(w, "a part")
		return fault
	})
	if !errors.Is(err, fault) {
		t.Errorf("error %v, want %v", err, fault)
	}
	if left, _ := filepath.Glob(name + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
