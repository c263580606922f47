// SPDX-License-Identifier: Apache-2.0

package study

import (
	"flag"
	"fmt"
	"os"
)

// Main is the main function of a study: it declares the flags, parses the command line and calls
// what declare returned. It ends the process with 1 after an error.
func Main(name string, declare func(*flag.FlagSet) (run func() error)) {
	flags := flag.NewFlagSet(name, flag.ExitOnError)
	run := declare(flags)
	_ = flags.Parse(os.Args[1:]) // ends the process after an error
	err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
	if flags.NArg() == 0 {
		err = run()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
