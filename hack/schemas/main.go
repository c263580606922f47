// SPDX-License-Identifier: Apache-2.0

// Command schemas finishes the generated CRDs, and writes from them the JSON schemas of the
// kinds. Those in config/schemas are for kubeconform and editors:
// <group>/<kind>_<version>.json. Those in config/crd/validation are what the commands
// validate with: <kind>.json. Run it in the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	crds       = "config/crd/bases"
	folder     = "config/schemas"
	validation = "config/crd/validation"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "schemas: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	if err := finish(crds); err != nil {
		return err
	}
	described, err := schemas(os.DirFS(crds))
	if err != nil {
		return err
	}
	if err := write(folder, described); err != nil {
		return err
	}
	bare, err := bareSchemas(os.DirFS(crds))
	if err != nil {
		return err
	}
	return write(validation, bare)
}

// write writes texts by the names of their files.
func write(folder string, texts map[string][]byte) error {
	for name, text := range texts {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
