// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// CheckFolders says, before anything is simulated, which file that a flag names
// cannot be written: its folder is not there, or it is a folder itself.
func CheckFolders(files map[string]string) error {
	for _, flag := range slices.Sorted(maps.Keys(files)) {
		name := files[flag]
		if name == "" || name == "-" {
			continue
		}
		if at, err := os.Stat(name); err == nil && at.IsDir() {
			return BadInput(fmt.Errorf("%s: %s is a folder; name a file", flag, name))
		}
		folder := filepath.Dir(name)
		at, err := os.Stat(folder)
		switch {
		case err != nil:
			return BadInput(fmt.Errorf("%s: the folder %s cannot be used: %w", flag, folder, err))
		case !at.IsDir():
			return BadInput(fmt.Errorf("%s: %s is no folder", flag, folder))
		}
		if err := checkWritable(folder); err != nil {
			return BadInput(fmt.Errorf("%s: cannot write to the folder %s: %w", flag, folder, err))
		}
	}
	return nil
}

// CheckNewFolder says, before anything is simulated, that a folder that a flag
// names cannot be made, or written to. It makes none.
func CheckNewFolder(flag, name string) error {
	if name == "" {
		return nil
	}
	at := name
	for {
		if _, err := os.Lstat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	if there, err := os.Stat(at); err != nil || !there.IsDir() {
		return BadInput(fmt.Errorf("%s: %s is no folder", flag, at))
	}
	if err := checkWritable(at); err != nil {
		return BadInput(fmt.Errorf("%s: cannot write to the folder %s: %w", flag, at, err))
	}
	return nil
}

// checkWritable makes a file in a folder and removes it.
func checkWritable(folder string) error {
	f, err := os.CreateTemp(folder, ".windtunnel-*")
	if err != nil {
		return err
	}
	_ = f.Close()
	return os.Remove(f.Name())
}
