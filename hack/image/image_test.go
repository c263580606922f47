// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// hello compiles testdata/hello for Linux and returns the binary's path.
func hello(t *testing.T, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hello")
	args := append([]string{"build", "-trimpath", "-o", file}, flags...)
	build := exec.Command("go", append(args, "./testdata/hello")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

func TestSameBinarySameBytes(t *testing.T) {
	binary := hello(t)
	var ids, archives []string
	for i := range 2 {
		// The clock of the file must not reach the image.
		stamp := time.Unix(int64(1e9*(i+1)), 0)
		if err := os.Chtimes(binary, stamp, stamp); err != nil {
			t.Fatal(err)
		}
		output := filepath.Join(t.TempDir(), "new", "image.tar")
		var stdout bytes.Buffer
		if err := run([]string{"-binary", binary, "-output", output}, &stdout, io.Discard); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		ids, archives = append(ids, stdout.String()), append(archives, string(content))
	}
	if ids[0] != ids[1] {
		t.Errorf("image IDs differ: %q and %q", ids[0], ids[1])
	}
	if archives[0] != archives[1] {
		t.Error("archives differ")
	}
	if !strings.HasPrefix(ids[0], "sha256:") {
		t.Errorf("printed %q, want a sha256 digest", ids[0])
	}
}

func TestWhatTheImageHolds(t *testing.T) {
	binary := hello(t)
	output := filepath.Join(t.TempDir(), "image.tar")
	beside := filepath.Join(t.TempDir(), "hello-beside")
	if err := os.Link(binary, beside); err != nil {
		t.Fatal(err)
	}
	args := []string{"-binary", binary, "-binary", beside, "-output", output, "-tag", "example:v1", "-entrypoint", "/usr/bin/hello"}
	var stdout bytes.Buffer
	if err := run(args, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(output) })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := manifest[0].RepoTags, []string{"example:v1"}; !slices.Equal(got, want) {
		t.Errorf("tags: got %q, want %q", got, want)
	}
	image, err := tarball.ImageFromPath(output, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := config.OS+"/"+config.Architecture, "linux/"+runtime.GOARCH; got != want {
		t.Errorf("platform: got %s, want %s", got, want)
	}
	if got := config.Config.User; got != "65532:65532" {
		t.Errorf("user: got %q, want 65532:65532", got)
	}
	if got, want := config.Config.Entrypoint, []string{"/usr/bin/hello"}; !slices.Equal(got, want) {
		t.Errorf("entrypoint: got %q, want %q", got, want)
	}
	if id, err := image.ConfigName(); err != nil || id.String()+"\n" != stdout.String() {
		t.Errorf("printed %q, the archive holds %s (%v)", stdout.String(), id, err)
	}
	folders := []string{"drwxr-xr-x 0:0 usr/", "drwxr-xr-x 0:0 usr/bin/"}
	want := slices.Concat(folders, []string{"-r-xr-xr-x 0:0 usr/bin/hello"}, folders, []string{"-r-xr-xr-x 0:0 usr/bin/hello-beside"})
	if got := entries(t, image); !slices.Equal(got, want) {
		t.Errorf("files: got %q, want %q", got, want)
	}
}

// entries lists the files of an image, layer by layer.
func entries(t *testing.T, image v1.Image) []string {
	t.Helper()
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, layer := range layers {
		list = append(list, entriesOf(t, layer)...)
	}
	return list
}

func entriesOf(t *testing.T, layer v1.Layer) []string {
	t.Helper()
	content, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	var list []string
	for in := tar.NewReader(content); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Gid != 0 || !header.ModTime.Equal(epoch) {
			t.Errorf("%s: owner %d:%d, time %s; want 0:0 and the epoch", header.Name, header.Uid, header.Gid, header.ModTime)
		}
		list = append(list, header.FileInfo().Mode().String()+" 0:0 "+header.Name)
	}
}

func TestRefusals(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	static := hello(t)
	cases := map[string]struct {
		args      []string
		wantUsage bool
		want      string
	}{
		"no binary":             {args: nil, wantUsage: true, want: "-binary is required"},
		"stray argument":        {args: []string{"-binary", static, "more"}, wantUsage: true, want: `"more"`},
		"missing file":          {args: []string{"-binary", "nowhere"}, want: "no such file"},
		"not a Go binary":       {args: []string{"-binary", text}, want: "unrecognized file format"},
		"dynamically linked":    {args: []string{"-binary", hello(t, "-buildmode=pie")}, want: "CGO_ENABLED=0"},
		"relative entrypoint":   {args: []string{"-binary", static, "-entrypoint", "windtunnel"}, want: "clean absolute path"},
		"entrypoint leaves":     {args: []string{"-binary", static, "-entrypoint", "/../x"}, want: "clean absolute path"},
		"a tag that is no name": {args: []string{"-binary", static, "-tag", "UPPER CASE"}, want: "UPPER CASE"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			output := filepath.Join(t.TempDir(), "image.tar")
			err := run(append([]string{"-output", output}, tc.args...), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got error %v, want one with %q", err, tc.want)
			}
			if got := errors.As(err, new(usageError)); got != tc.wantUsage {
				t.Errorf("usage error: got %t, want %t", got, tc.wantUsage)
			}
			if left, err := os.ReadDir(filepath.Dir(output)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v (%v)", left, err)
			}
		})
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	var stderr bytes.Buffer
	if err := run([]string{"-help"}, io.Discard, &stderr); !errors.Is(err, flag.ErrHelp) {
		t.Fatalf("got %v, want flag.ErrHelp", err)
	}
	for _, name := range []string{"-binary", "-entrypoint", "-tag", "-output", "-sbom"} {
		if !strings.Contains(stderr.String(), "  "+name+" ") {
			t.Errorf("no %s in the help:\n%s", name, stderr.String())
		}
	}
}
