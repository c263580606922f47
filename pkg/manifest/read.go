// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Read parses a stream of YAML or JSON documents. Objects of our group come out
// defaulted and valid, and those of a v1 List as if each were a document. Objects
// of other kinds are passed over. name stands for the stream in errors, which are
// one *InvalidError for each document that is at fault, joined. A stream without
// documents gives an empty Set.
func Read(r io.Reader, name string) (*Set, error) { return read(r, name, false) }

// ReadFromFolder is Read for a file that the user did not name: what a folder has
// in addition to manifests, such as Helm values, is passed over where it has no apiVersion
// or no kind.
func ReadFromFolder(r io.Reader, name string) (*Set, error) { return read(r, name, true) }

func read(r io.Reader, name string, unnamed bool) (*Set, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	docs, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	set := &Set{}
	var invalid []error
	count := 0
	for _, d := range docs {
		object, errs, fatal := d.decode()
		switch {
		case len(fatal) == 0 && object == nil:
			continue
		case unnamed && !isManifest(object) && (len(fatal) == 0 || d.isValue()):
			continue
		case len(fatal) > 0:
			errs = fatal
		default:
			errs = set.add(object, errs, origin{file: name, document: count + 1, text: d})
		}
		count++
		if len(errs) > 0 {
			e := d.invalid(object, errs)
			e.File, e.Document = name, count
			invalid = append(invalid, e)
		}
	}
	if len(invalid) > 0 {
		return nil, errors.Join(invalid...)
	}
	return set, nil
}

// isManifest reports whether an object says of which kind it is.
func isManifest(object map[string]any) bool {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return apiVersion != "" && kind != ""
}

const (
	runDocument       = "sim.windtunnel.dev/v1alpha1 SimulationRun"
	sweepDocument     = "sim.windtunnel.dev/v1alpha1 PolicySweep"
	configMapDocument = "v1 ConfigMap"
	listDocument      = "v1 List"
)

// add reads one document's object into the set. strict are the faults of its
// decoding, which are reported together with the unknown fields.
func (s *Set) add(object map[string]any, strict field.ErrorList, from origin) field.ErrorList {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if of := apiVersion + " " + kind; of == runDocument || of == sweepDocument {
		s.nameGenerated(object)
	}
	switch apiVersion + " " + kind {
	case runDocument:
		run, errs := readResource[v1alpha1.SimulationRun](kind, object, strict)
		if len(errs) > 0 {
			return errs
		}
		s.Runs = append(s.Runs, run)
		return s.claim(kind, run, from)
	case sweepDocument:
		sweep, errs := readResource[v1alpha1.PolicySweep](kind, object, strict)
		if len(errs) > 0 {
			return errs
		}
		s.Sweeps = append(s.Sweeps, sweep)
		return s.claim(kind, sweep, from)
	case configMapDocument:
		cm, errs := readConfigMap(object, strict)
		if len(errs) > 0 {
			return errs
		}
		s.ConfigMaps = append(s.ConfigMaps, cm)
		return s.claim(kind, cm, from)
	case listDocument:
		return s.addItems(object, strict, from)
	default:
		if fault := unsupported(apiVersion, kind); fault != nil {
			return append(strict, fault)
		}
		s.Others = append(s.Others, apiVersion+" "+kind)
		return nil
	}
}

// addItems reads a List, which is how kubectl get prints several objects.
func (s *Set) addItems(list map[string]any, strict field.ErrorList, from origin) field.ErrorList {
	if len(strict) > 0 {
		return strict
	}
	items, isList := list["items"].([]any)
	if !isList && list["items"] != nil {
		return field.ErrorList{field.TypeInvalid(field.NewPath("items"), field.OmitValueType{}, "must be a list of objects")}
	}
	var errs field.ErrorList
	for i, item := range items {
		at := field.NewPath("items").Index(i)
		object, isObject := item.(map[string]any)
		if !isObject {
			errs = append(errs, field.TypeInvalid(at, field.OmitValueType{}, "must be an object with apiVersion and kind"))
			continue
		}
		errs = append(errs, below(at, s.add(object, nil, from.item(at)))...)
	}
	return errs
}

// below gives the faults of an item the paths that they have in the list. The
// schema's remark that it left rules unchecked goes where there are others.
func below(at *field.Path, faults field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for _, fault := range faults {
		switch {
		case !aboutNoField(fault):
			fault.Field = at.String() + "." + fault.Field
		case len(faults) > 1:
			continue
		default:
			fault.Field = at.String()
		}
		errs = append(errs, fault)
	}
	return errs
}

// unsupported is the fault of an object without a kind, or of our group and a kind
// that it does not have. Other kinds are nil.
func unsupported(apiVersion, kind string) *field.Error {
	group, _, _ := strings.Cut(apiVersion, "/")
	switch {
	case apiVersion == "":
		return field.Required(field.NewPath("apiVersion"), "must be "+v1alpha1.GroupVersion.String()+", or v1 for a ConfigMap")
	case kind == "":
		return field.Required(field.NewPath("kind"), "must be SimulationRun, PolicySweep or ConfigMap")
	case group == v1alpha1.GroupVersion.Group:
		return field.NotSupported(field.NewPath("kind"), apiVersion+" "+kind, []string{runDocument, sweepDocument})
	default:
		return nil
	}
}
