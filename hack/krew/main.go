// SPDX-License-Identifier: Apache-2.0

// Krew packs the binaries of a release as archives of the kubectl plugin, one for each platform,
// and writes the manifest with which krew installs them. The same binaries give the same bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed windtunnel.yaml.tmpl
var manifestText string

// pluginName is the plugin's name, which krew wants to be that of the manifest's file.
const pluginName = "windtunnel"

// A platform is what the manifest says of one archive.
type platform struct{ OS, Arch, URI, SHA256 string }

// A release is what the manifest is made of.
type release struct {
	Version   string
	Platforms []platform
}

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "krew: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("krew", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", "", "`version` of the release: vMAJOR.MINOR.PATCH (required)")
	uri := flags.String("uri", "", "https `address` of the folder from which users download the archives (required)")
	licence := flags.String("license", "../../LICENSE", "`file` of the licence, which krew wants in each archive")
	output := flags.String("output", "../../dist", "`folder` to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r, files, err := pack(*version, *uri, *licence, flags.Args())
	if err != nil {
		return err
	}
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	files[pluginName+".yaml"] = manifest
	return writeAll(*output, files)
}

// versions are those that krew takes: semantic ones with a v.
var versions = regexp.MustCompile(`^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$`)

// platforms are the values of selectors that krew knows.
var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"}

// pack packs binaries, given as OS/ARCH=FILE.
func pack(version, uri, licence string, binaries []string) (*release, map[string][]byte, error) {
	if err := check(version, uri, binaries); err != nil {
		return nil, nil, err
	}
	terms, err := os.ReadFile(licence)
	if err != nil {
		return nil, nil, err
	}
	r, files := &release{Version: version}, map[string][]byte{}
	for _, text := range binaries {
		on, file, _ := strings.Cut(text, "=")
		binary, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		archive, err := archiveOf([]entry{{"kubectl-windtunnel", 0o755, binary}, {"LICENSE", 0o644, terms}})
		if err != nil {
			return nil, nil, err
		}
		system, arch, _ := strings.Cut(on, "/")
		name := fmt.Sprintf("kubectl-windtunnel-%s-%s.tar.gz", system, arch)
		files[name] = archive
		r.Platforms = append(r.Platforms, platform{system, arch, strings.TrimRight(uri, "/") + "/" + name, fmt.Sprintf("%x", sha256.Sum256(archive))})
	}
	return r, files, nil
}

// check refuses what krew would refuse later.
func check(version, uri string, binaries []string) error {
	var errs []error
	if !versions.MatchString(version) {
		errs = append(errs, fmt.Errorf("-version %q: must be vMAJOR.MINOR.PATCH, such as v0.2.0", version))
	}
	if !strings.HasPrefix(uri, "https://") {
		errs = append(errs, fmt.Errorf("-uri %q: must be an https address", uri))
	}
	if len(binaries) == 0 {
		errs = append(errs, errors.New("no binary: name at least one, as OS/ARCH=FILE"))
	}
	var seen []string
	for _, text := range binaries {
		on, file, ok := strings.Cut(text, "=")
		switch {
		case !ok || file == "" || !slices.Contains(platforms, on):
			errs = append(errs, fmt.Errorf("%q: must be OS/ARCH=FILE with one of the platforms %s", text, strings.Join(platforms, ", ")))
		case slices.Contains(seen, on):
			errs = append(errs, fmt.Errorf("%q: the platform is there twice", text))
		}
		seen = append(seen, on)
	}
	return errors.Join(errs...)
}

// manifest is the text with which krew installs the release.
func (r *release) manifest() ([]byte, error) {
	t, err := template.New("manifest").Parse(manifestText)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = t.Execute(&text, r)
	return text.Bytes(), err
}

// writeAll writes files into a folder.
func writeAll(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range files { // in any order
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
