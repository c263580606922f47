// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Read parses a stream of YAML or JSON documents. Objects of our group come out
// defaulted and valid. name stands for the stream in errors, which are one
// *InvalidError for each document that is at fault, joined. A stream without
// documents gives an empty Set.
func Read(r io.Reader, name string) (*Set, error) {
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
		case fatal != nil:
			errs = field.ErrorList{fatal}
		case object == nil:
			continue
		default:
			errs = set.add(object, errs, origin{name, count + 1})
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

const (
	runDocument       = "sim.windtunnel.dev/v1alpha1 SimulationRun"
	sweepDocument     = "sim.windtunnel.dev/v1alpha1 PolicySweep"
	configMapDocument = "v1 ConfigMap"
)

// add reads one document's object into the set. strict are the faults of its
// decoding, which are reported together with the fields that nobody knows.
func (s *Set) add(object map[string]any, strict field.ErrorList, from origin) field.ErrorList {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
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
	default:
		return append(strict, unsupported(apiVersion, kind))
	}
}

func unsupported(apiVersion, kind string) *field.Error {
	switch {
	case apiVersion == "":
		return field.Required(field.NewPath("apiVersion"), "must be "+v1alpha1.GroupVersion.String()+", or v1 for a ConfigMap")
	case kind == "":
		return field.Required(field.NewPath("kind"), "must be SimulationRun, PolicySweep or ConfigMap")
	default:
		return field.NotSupported(field.NewPath("kind"), apiVersion+" "+kind, []string{runDocument, sweepDocument, configMapDocument})
	}
}
