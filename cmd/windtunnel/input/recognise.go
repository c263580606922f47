// SPDX-License-Identifier: Apache-2.0

// Package input reads the files that users name, and recognizes those that a verb cannot read.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ownAPIVersion tells objects of Windtunnel from what only has its labels.
var ownAPIVersion = regexp.MustCompile(`["']?apiVersion["']?[ \t]*:[ \t]*["']?` + regexp.QuoteMeta(v1alpha1.GroupVersion.Group) + "/")

// MentionsOwnKinds reports whether a file has an object of this project's API group.
func MentionsOwnKinds(content []byte) bool { return ownAPIVersion.Match(content) }

// Verbs are those that simulate a kind.
var Verbs = map[string]string{v1alpha1.SimulationRunKind: "run", v1alpha1.PolicySweepKind: "sweep"}

// recognised says in words what a file is, and which verbs read it; both are empty for what is not
// recognised.
func recognised(name string, content []byte) (what, use string) {
	switch {
	case len(bytes.TrimSpace(content)) == 0:
		return "is empty", ""
	case bytes.ContainsRune(content[:min(len(content), 512)], 0):
		return asTrace(name, content)
	}
	if IsPrinted(content) {
		return "is the output of run or sweep -o json", fmt.Sprintf("windtunnel report %s makes a page of it", name)
	}
	if set, err := manifest.ReadFromFolder(bytes.NewReader(content), name); err == nil {
		if what, use := asManifest(name, set); what != "" {
			return what, use
		}
	}
	if what, use := AsResult(content); what != "" {
		return what, use
	}
	if found, err := files.Find(content); err == nil && len(found) > 0 {
		return "holds an " + PickerKind, fmt.Sprintf("windtunnel lint %s checks it, and windtunnel init --epp %[1]s writes a scenario with it", name)
	}
	return asTrace(name, content)
}

// asManifest are the words on a file with objects of Kubernetes.
func asManifest(name string, set *manifest.Set) (what, use string) {
	for kind, n := range map[string]int{v1alpha1.SimulationRunKind: len(set.Runs), v1alpha1.PolicySweepKind: len(set.Sweeps)} {
		if n > 0 {
			return "holds a " + kind, fmt.Sprintf("windtunnel %s -f %s simulates it", Verbs[kind], name)
		}
	}
	for _, other := range set.Others {
		if strings.HasSuffix(other, " "+PickerKind) {
			return "", ""
		}
	}
	if len(set.Others) > 0 {
		return "holds objects of " + strings.Join(slices.Compact(slices.Sorted(slices.Values(set.Others))), ", "), ""
	}
	if len(set.ConfigMaps) > 0 {
		return "holds ConfigMaps alone", ""
	}
	return "", ""
}

// asTrace are the words on a trace, on a table of unknown columns, and on what is a page of the web.
func asTrace(name string, content []byte) (what, use string) {
	if format, ok := traceFormat(name, content); ok {
		return fmt.Sprintf("is a trace in the format %s", format),
			fmt.Sprintf("windtunnel trace inspect %s describes it, and windtunnel init --trace %[1]s writes a scenario with it", name)
	}
	first, _, _ := bytes.Cut(content, []byte("\n"))
	head := strings.ToLower(string(bytes.TrimSpace(first)))
	if strings.HasPrefix(head, "<!doctype") || strings.HasPrefix(head, "<html") {
		return "is a page of HTML", "download the file itself, such as the raw one of a repository"
	}
	if header := strings.TrimSpace(string(first)); strings.Count(header, ",") > 1 && !strings.ContainsAny(header, "{}[]:") {
		return fmt.Sprintf("is a table with the columns %.120s", header), fmt.Sprintf("windtunnel trace inspect %s --csv time=COLUMN,timeFormat=Seconds,inputTokens=COLUMN,outputTokens=COLUMN reads it", name)
	}
	return "", ""
}

// linesTried are how many lines of a text must be rows of a trace, for it to be one.
const linesTried = 50

// traceFormat tells traces from texts that begin alike.
func traceFormat(name string, content []byte) (trace.Format, bool) {
	format, _, err := trace.RecogniseFormat(bytes.NewReader(content), name)
	if err != nil || bytes.ContainsRune(content[:min(len(content), 512)], 0) {
		return format, err == nil
	}
	lines := bytes.SplitAfterN(content, []byte("\n"), linesTried+1)
	_, err = trace.ReadWith(format, trace.Options{}, bytes.NewReader(bytes.Join(lines[:min(len(lines), linesTried)], nil)), name)
	return format, err == nil
}

// Unfit is the error of a file that a verb has no use for: what it is, what the verb reads, and which
// verb reads such files; nil where the file is not recognised.
func Unfit(name string, content []byte, reads string) error {
	what, use := recognised(name, content)
	if what == "" {
		return nil
	}
	text := fmt.Sprintf("%s %s, and %s", name, what, reads)
	if use != "" {
		text += "; " + use
	}
	return cli.BadInput(errors.New(text))
}

// Address tells what is to be fetched from what is a file.
var Address = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://`)

// FileError says what to do about a file that cannot be read: an address is to be fetched first, and
// a folder is none.
func FileError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EISDIR):
		return cli.BadInput(fmt.Errorf("%s is a folder, and the command reads a file: name one of its files", name))
	case !Address.MatchString(name):
		return cli.BadInput(err)
	}
	return cli.BadInput(fmt.Errorf("%s is an address, and the command reads files: download it first: curl -fsSL -o %s %s",
		name, cli.ShellWord(filepath.Base(strings.TrimRight(name, "/"))), cli.ShellWord(name)))
}

// Read is os.ReadFile with the words of fileError.
func Read(name string) ([]byte, error) {
	raw, err := os.ReadFile(name)
	return raw, FileError(name, err)
}

// ReadOr is Read, or standard input for the name -.
func ReadOr(stdin io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return Read(name)
}

// IsPrinted reports whether a text is what run or sweep -o json prints.
func IsPrinted(content []byte) bool {
	_, err := archive.ReadPrinted(content)
	return err == nil
}

// MayBeManifest reports whether a text is an object of Kubernetes, however faulty, and neither a
// result nor a configuration of the EPP.
func MayBeManifest(content []byte) bool {
	var object struct {
		Kind string `json:"kind"`
	}
	saysKind := yaml.Unmarshal(content, &object) == nil && object.Kind != "" && object.Kind != PickerKind
	return (MentionsOwnKinds(content) || saysKind) && !IsPrinted(content)
}

// PickerKind is the kind of the EPP's configurations.
const PickerKind = "EndpointPickerConfig"
