// SPDX-License-Identifier: Apache-2.0

// Package cmdtest runs verbs in tests, as main does.
package cmdtest

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

// Main runs the tests of a package below cmd/windtunnel. They have the working directory of
// cmd/windtunnel, whose testdata they share, and their program may be the child of their fences.
func Main(m *testing.M) {
	fence.Serve(parquetfile.Codec{})
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// Root makes the command with some of its verbs.
func Root(verbs ...func() *cobra.Command) func() *cobra.Command {
	return func() *cobra.Command {
		var all []*cobra.Command
		for _, verb := range verbs {
			all = append(all, verb())
		}
		return cli.NewRoot(all...)
	}
}

// Runners returns two functions that run a command. The second one fails the test where the
// command fails.
func Runners(root func() *cobra.Command) (run func(t testing.TB, args ...string) (string, error), mustRun func(t testing.TB, args ...string) string) {
	run = func(t testing.TB, args ...string) (string, error) {
		t.Helper()
		var out bytes.Buffer
		cmd := root()
		cmd.SetArgs(args)
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	return run, func(t testing.TB, args ...string) string {
		t.Helper()
		out, err := run(t, args...)
		if err != nil {
			t.Fatalf("windtunnel %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
}

// TempFile writes a file that is gone after the test.
func TempFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Edited returns a copy of a manifest with one text replaced.
func Edited(t testing.TB, manifest, old, replacement string) string {
	t.Helper()
	text := TextOf(t, manifest)
	if !strings.Contains(text, old) {
		t.Fatalf("%s does not hold %q", manifest, old)
	}
	return TempFile(t, "edited.yaml", strings.Replace(text, old, replacement, 1))
}

// TextOf is the text of a file.
func TextOf(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// ContentsIn are the files of a folder with their contents.
func ContentsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			continue
		}
		raw := TextOf(t, name)
		all[filepath.Base(name)] = raw
	}
	return all
}

// Words is a line without the widths of its columns.
func Words(line string) string { return strings.Join(strings.Fields(line), " ") }

// Gzipped is a text compressed.
func Gzipped(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}
