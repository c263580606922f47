// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// user is "nonroot" by a convention that many images share. It is a number,
// because the kubelet cannot check runAsNonRoot against a name.
const user = "65532:65532"

// epoch is the only time in an image: a build date would change its digest.
var epoch = time.Unix(0, 0).UTC()

// build returns an image FROM scratch that runs the first of some static Linux
// binaries as entrypoint, and has the others beside it. It refuses a binary that
// needs a dynamic loader: there is none in the image, and the container would fail
// with a bare "no such file or directory".
func build(binaries []string, entrypoint string) (v1.Image, error) {
	if !path.IsAbs(entrypoint) || path.Clean(entrypoint) != entrypoint || entrypoint == "/" {
		return nil, fmt.Errorf("entrypoint %q: must be a clean absolute path, such as /windtunnel", entrypoint)
	}
	var on platform
	image := empty.Image
	for i, binary := range binaries {
		builtFor, err := inspect(binary)
		if err != nil {
			return nil, fmt.Errorf("inspect the binary: %w", err)
		}
		file := entrypoint
		if i == 0 {
			on = builtFor
		} else {
			file = path.Join(path.Dir(entrypoint), filepath.Base(binary))
		}
		if builtFor != on {
			return nil, fmt.Errorf("%s is built for %s, and %s for %s", binaries[0], on.arch, binary, builtFor.arch)
		}
		if image, err = addLayer(image, binary, file); err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Created = v1.Time{Time: epoch}
	config.OS, config.Architecture = on.os, on.arch
	config.Config.User = user
	config.Config.Entrypoint = []string{entrypoint}
	config.Config.WorkingDir = "/"
	return mutate.ConfigFile(image, config)
}

// addLayer adds a layer with a binary to an image. With a layer of its own, a binary that has not
// changed is not pulled again.
func addLayer(image v1.Image, binary, file string) (v1.Image, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	files, err := archive(file, content)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)), nil
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "hack/image"},
	})
}

type platform struct{ os, arch string }

// inspect reads from a Go binary what it was built for.
func inspect(file string) (platform, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return platform{}, err
	}
	var p platform
	for _, setting := range info.Settings {
		switch setting.Key {
		case "GOOS":
			p.os = setting.Value
		case "GOARCH":
			p.arch = setting.Value
		}
	}
	if p.os != "linux" {
		return platform{}, fmt.Errorf("%s is built for %q: build it with GOOS=linux", file, p.os)
	}
	object, err := elf.Open(file)
	if err != nil {
		return platform{}, err
	}
	defer object.Close()
	for _, program := range object.Progs {
		if program.Type == elf.PT_INTERP {
			return platform{}, fmt.Errorf("%s is dynamically linked: build it with CGO_ENABLED=0", file)
		}
	}
	return p, nil
}

// archive is a tar of one read-only executable and the directories above it,
// owned by root, so that the process cannot change its own binary.
func archive(at string, content []byte) ([]byte, error) {
	var buffer bytes.Buffer
	out := tar.NewWriter(&buffer)
	file := strings.TrimPrefix(at, "/")
	for i, r := range file {
		if r != '/' {
			continue
		}
		if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: file[:i+1], Mode: 0o755, ModTime: epoch}); err != nil {
			return nil, err
		}
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: file, Mode: 0o555, Size: int64(len(content)), ModTime: epoch}
	if err := out.WriteHeader(header); err != nil {
		return nil, err
	}
	if _, err := out.Write(content); err != nil {
		return nil, err
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// write stores the image as a docker-archive.
func write(image v1.Image, tag, output string) error {
	reference, err := name.NewTag(tag)
	if err != nil {
		return err
	}
	return whole(output, func(partial io.Writer) error { return tarball.Write(reference, image, partial) })
}

// whole writes a file that appears under its name only when all of it is there.
func whole(output string, fill func(io.Writer) error) error {
	dir := filepath.Dir(output)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	partial, err := os.CreateTemp(dir, ".image-*")
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name())
	if err := fill(partial); err != nil {
		return errors.Join(err, partial.Close())
	}
	// Whoever loads the image into a node's runtime may be another user.
	if err := errors.Join(partial.Chmod(0o644), partial.Close()); err != nil {
		return err
	}
	return os.Rename(partial.Name(), output)
}
