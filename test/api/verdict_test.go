// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// A verdict is what became of a document.
type verdict struct {
	// faults are sorted, each as "path: message"; none means accepted.
	faults []string
	// object is the typed object, its defaults filled in, where it was accepted.
	object runtime.Object
}

func (v verdict) accepted() bool { return len(v.faults) == 0 }

// faultAt reports whether a fault of a path contains a text.
func (v verdict) faultAt(path, text string) bool {
	return slices.ContainsFunc(v.faults, func(f string) bool {
		rest, ok := strings.CutPrefix(f, path+": ")
		return ok && strings.Contains(rest, text)
	})
}

// localVerdict is pkg/manifest's.
func localVerdict(t *testing.T, body []byte) verdict {
	t.Helper()
	set, err := manifest.Read(bytes.NewReader(body), "case")
	if err != nil {
		var invalid *manifest.InvalidError
		if !errors.As(err, &invalid) {
			t.Fatalf("%T is not an InvalidError: %v", err, err)
		}
		return verdict{faults: localFaults(invalid.Errs)}
	}
	switch {
	case len(set.Runs) == 1:
		return verdict{object: set.Runs[0]}
	case len(set.Sweeps) == 1:
		return verdict{object: set.Sweeps[0]}
	case len(set.ConfigMaps) == 1:
		return verdict{object: set.ConfigMaps[0]}
	default:
		t.Fatalf("no object in %s", body)
		return verdict{}
	}
}

func localFaults(errs field.ErrorList) []string {
	var faults []string
	for _, e := range errs {
		// The server's decoder says the same in another form, and of a field
		// that stands there twice in YAML only its own name.
		switch what, _, _ := strings.Cut(e.Detail, ";"); what {
		case "unknown field":
			faults = append(faults, e.Field+": unknown field")
		case "duplicate field":
			faults = append(faults, e.Field[strings.LastIndex(e.Field, ".")+1:]+": duplicate field")
		case "baseline must give every parameter of the sweep a value, and no other":
			// A rule of the server cannot name the parameters.
			faults = append(faults, e.Field+": "+strings.TrimSuffix(e.ErrorBody(), e.Detail[len(what):]))
		default:
			faults = append(faults, e.Field+": "+e.ErrorBody())
		}
	}
	slices.Sort(faults)
	return faults
}

// serverVerdict is the API server's.
func serverVerdict(t *testing.T, s *apiServer, kind, contentType string, body []byte) verdict {
	t.Helper()
	code, answer := s.post(t, collection(kind), contentType, body)
	if code == http.StatusCreated {
		return verdict{object: decodeObject(t, kind, answer)}
	}
	var status metav1.Status
	if err := json.Unmarshal(answer, &status); err != nil || status.Message == "" {
		t.Fatalf("HTTP %d: %s", code, answer)
	}
	return verdict{faults: serverFaults(status)}
}

// unreadable is a document that is no object: each parser says so in words of
// its own.
const unreadable = "unreadable"

var (
	unknownField   = regexp.MustCompile(`unknown field "([^"]*)"`)
	duplicateField = regexp.MustCompile(`key "([^"]*)" already set in map|duplicate field "(?:[^"]*[.])?([^".]*)"`)
)

func serverFaults(status metav1.Status) []string {
	var faults []string
	switch status.Code {
	case http.StatusUnprocessableEntity:
		for _, cause := range status.Details.Causes {
			faults = append(faults, cause.Field+": "+cause.Message)
		}
	case http.StatusBadRequest:
		for _, match := range unknownField.FindAllStringSubmatch(status.Message, -1) {
			faults = append(faults, match[1]+": unknown field")
		}
		for _, match := range duplicateField.FindAllStringSubmatch(status.Message, -1) {
			faults = append(faults, match[1]+match[2]+": duplicate field")
		}
	}
	if len(faults) == 0 {
		return []string{unreadable}
	}
	slices.Sort(faults)
	return faults
}

func decodeObject(t *testing.T, kind string, body []byte) runtime.Object {
	t.Helper()
	obj := newObject(kind)
	if err := json.Unmarshal(body, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// spec is the part of an object that the two must agree on.
func spec(obj runtime.Object) any {
	switch obj := obj.(type) {
	case *v1alpha1.SimulationRun:
		return obj.Spec
	case *v1alpha1.PolicySweep:
		return obj.Spec
	default:
		return nil
	}
}

// compare demands that both verdicts are the same to the last word, and their
// objects to the last field.
func compare(t *testing.T, server, local verdict) {
	t.Helper()
	if !server.accepted() && server.faults[0] == unreadable {
		if local.accepted() {
			t.Errorf("only the server finds it unreadable")
		}
		return
	}
	if diff := cmp.Diff(server.faults, local.faults); diff != "" {
		t.Errorf("faults differ (-server +local):\n%s", diff)
	}
	if !server.accepted() || !local.accepted() {
		return
	}
	if diff := cmp.Diff(spec(server.object), spec(local.object)); diff != "" {
		t.Errorf("accepted specs differ (-server +local):\n%s", diff)
	}
}
