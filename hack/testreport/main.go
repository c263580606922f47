// SPDX-License-Identifier: Apache-2.0

// Testreport reads the events of `go test -json` and prints them like go test: the
// output of failures, and a line for each package. At the end it lists the skipped
// tests by reason, and the claims of docs/accuracy.md that no test checked because of the
// skips. It exits with 1 if a test or a build failed.
//
//	go test -json ./... | go run ./hack/testreport
package main

import (
	"fmt"
	"os"

	"windtunnel.dev/windtunnel/internal/readme"
)

func main() {
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "testreport: %v\n", err)
		os.Exit(1)
	}
	if err := r.close(readme.Claims); err != nil {
		fmt.Fprintf(os.Stderr, "testreport: %v\n", err)
		os.Exit(1)
	}
	if r.failed {
		os.Exit(1)
	}
}
