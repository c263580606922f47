// SPDX-License-Identifier: Apache-2.0

// Image packs static Linux binaries into a container image FROM scratch and
// writes it as a docker-archive, which ctr, docker, podman and kind load without
// a registry. The same binaries always give the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	switch err := run(os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, new(usageError)):
		fmt.Fprintf(os.Stderr, "image: %v (see -help)\n", err)
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "image: %v\n", err)
		os.Exit(1)
	}
}

// usageError is a fault in the command line, not in what it asks for.
type usageError struct{ error }

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var binaries []string
	flags.Func("binary", "static Linux `file` to pack (required); given again, it lies beside the first one under its own name", func(file string) error {
		binaries = append(binaries, file)
		return nil
	})
	entrypoint := flags.String("entrypoint", "/windtunnel", "absolute `path` of the first binary inside the image")
	tag := flags.String("tag", "windtunnel:dev", "`name:tag` under which the image is loaded")
	output := flags.String("output", "dist/windtunnel-image.tar", "archive `file` to write")
	billOutput := flags.String("sbom", "", "`file` to write the bill of materials to, as CycloneDX JSON")
	flags.Usage = func() {} // a bad flag gets one line, not the whole page
	help := func() {
		fmt.Fprint(stderr, `usage: image -binary FILE [flags]

Packs static Linux binaries into an image FROM scratch that runs the first one as user
65532, writes a docker-archive and prints the image ID: the digest under which
docker and crictl show it. The same binaries give the same archive, and the same
bill of materials.

  CGO_ENABLED=0 go build -o dist/ ./cmd/windtunnel ./cmd/windtunnel-manager ./cmd/windtunnel-live
  go run -C hack/image . -binary "$PWD/dist/windtunnel" -binary "$PWD/dist/windtunnel-manager" \
    -binary "$PWD/dist/windtunnel-live" -output "$PWD/dist/windtunnel-image.tar"
  ctr -n k8s.io images import dist/windtunnel-image.tar

flags
`)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			help()
			return err
		}
		return usageError{err}
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	}
	if len(binaries) == 0 {
		return usageError{errors.New("-binary is required")}
	}

	image, err := build(binaries, *entrypoint)
	if err != nil {
		return err
	}
	if err := write(image, *tag, *output); err != nil {
		return fmt.Errorf("write %s: %w", *output, err)
	}
	if *billOutput != "" {
		if err := writeBill(binaries, *billOutput); err != nil {
			return fmt.Errorf("write %s: %w", *billOutput, err)
		}
	}
	id, err := image.ConfigName()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, id)
	return err
}

// writeBill writes the bill of materials of some binaries.
func writeBill(binaries []string, output string) error {
	content, err := bill(binaries)
	if err != nil {
		return err
	}
	return whole(output, func(partial io.Writer) error {
		_, err := partial.Write(content)
		return err
	})
}
