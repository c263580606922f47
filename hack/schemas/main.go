// SPDX-License-Identifier: Apache-2.0

// Command schemas finishes the generated CRDs, and writes the JSON schemas of the kinds
// from them into config/schemas, for kubeconform and editors:
// <group>/<kind>_<version>.json. Run it in the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	crds   = "config/crd/bases"
	folder = "config/schemas"
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
	schemas, err := schemas(os.DirFS(crds))
	if err != nil {
		return err
	}
	for name, text := range schemas {
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
