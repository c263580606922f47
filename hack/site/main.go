// SPDX-License-Identifier: Apache-2.0

// Site writes the documentation as a site of static pages, with a search that needs no
// server. It fails for a link whose page, heading or file does not exist, and for a row outside
// of its table.
//
//	go run -C hack/site . -o ../../dist/site
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "`FOLDER` of the repository")
	out := flag.String("o", "../../dist/site", "`FOLDER` to write the site to; what it has is replaced")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintf(os.Stderr, "site: %v\n", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	s, err := load(os.DirFS(root))
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	fmt.Printf("%s: %d pages, %d files\n", out, len(s.pages), len(s.files))
	return nil
}
