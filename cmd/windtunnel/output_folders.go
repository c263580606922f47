// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// checkFolders says, before anything is simulated, which file that a flag names
// cannot be written: its folder is not there, or it is a folder itself.
func checkFolders(files map[string]string) error {
	for _, flag := range slices.Sorted(maps.Keys(files)) {
		name := files[flag]
		if name == "" || name == "-" {
			continue
		}
		if at, err := os.Stat(name); err == nil && at.IsDir() {
			return badInput(fmt.Errorf("%s: %s is a folder; name a file", flag, name))
		}
		folder := filepath.Dir(name)
		at, err := os.Stat(folder)
		switch {
		case err != nil:
			return badInput(fmt.Errorf("%s: the folder %s cannot be used: %w", flag, folder, err))
		case !at.IsDir():
			return badInput(fmt.Errorf("%s: %s is no folder", flag, folder))
		}
		if err := checkWritable(folder); err != nil {
			return badInput(fmt.Errorf("%s: cannot write to the folder %s: %w", flag, folder, err))
		}
	}
	return nil
}

// checkNewFolder says, before anything is simulated, that a folder that a flag
// names cannot be made, or written to. It makes none.
func checkNewFolder(flag, name string) error {
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
		return badInput(fmt.Errorf("%s: %s is no folder", flag, at))
	}
	if err := checkWritable(at); err != nil {
		return badInput(fmt.Errorf("%s: cannot write to the folder %s: %w", flag, at, err))
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
