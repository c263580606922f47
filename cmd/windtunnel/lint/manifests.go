// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// lintManifests are the objects of the files that are linted.
type lintManifests struct {
	sets map[string]*manifest.Set
	errs map[string]error
	// configMaps are those of all files: objects may refer to other files' ones.
	configMaps []*corev1.ConfigMap
}

func readForLint(files []lintFile) *lintManifests {
	m := &lintManifests{sets: map[string]*manifest.Set{}, errs: map[string]error{}}
	for _, file := range files {
		set, err := manifest.ReadFromFolder(bytes.NewReader(file.content), file.name)
		if err != nil {
			m.errs[file.name] = err
			continue
		}
		m.sets[file.name] = set
		m.configMaps = append(m.configMaps, set.ConfigMaps...)
	}
	return m
}

// findings are what is wrong with a file's objects. reported are those about its
// EPP configurations, which are not told twice. The error is about a file that
// cannot be read. clean are the objects without findings.
func (m *lintManifests) findings(ctx context.Context, file lintFile, reported []lint.Finding) (found []lint.Finding, clean []string, err error) {
	if err := m.errs[file.name]; err != nil {
		found, err := invalidFindings(file.name, err)
		return found, nil, err
	}
	set := m.sets[file.name]
	add := func(object manifest.Object, name string, inputs *lintInputs, compiled *compile.Compiled, errs field.ErrorList) {
		own := append(inputs.findings(set, object, errs, reported), plannedFindings(set, object, compiled)...)
		if len(errs) == 0 && len(own) == 0 {
			clean = append(clean, name)
		}
		found = append(found, own...)
	}
	for _, run := range set.Runs {
		name, inputs := "SimulationRun "+run.Name, m.inputs(set, run)
		compiled, errs, err := compile.Run(ctx, run, inputs)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", file.name, name, err)
		}
		add(run, name, inputs, compiled, errs)
	}
	for _, sweep := range set.Sweeps {
		name, inputs := "PolicySweep "+sweep.Name, m.inputs(set, sweep)
		compiled, errs, err := compile.Sweep(ctx, sweep, inputs)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", file.name, name, err)
		}
		add(sweep, name, inputs, compiled, errs)
	}
	slices.SortStableFunc(found, func(a, b lint.Finding) int { return cmp.Compare(a.Line, b.Line) })
	return found, clean, nil
}

// invalidFindings are what the schema and its rules find.
func invalidFindings(file string, err error) ([]lint.Finding, error) {
	all, joined := err.(interface{ Unwrap() []error })
	if !joined {
		return nil, err
	}
	var found []lint.Finding
	for _, err := range all.Unwrap() {
		var invalid *manifest.InvalidError
		if !errors.As(err, &invalid) {
			return nil, err
		}
		for _, fault := range invalid.Faults() {
			found = append(found, lint.ManifestFinding(file, fault.Line, fault.Path, lint.Error, fault.Message))
		}
	}
	return found, nil
}

// lintInputs are what one object may refer to. What only a cluster has is no
// mistake of the manifest.
type lintInputs struct {
	local.Inputs
	// absent are the messages about ConfigMaps that are in none of the files.
	absent map[string]bool
}

func (m *lintManifests) inputs(set *manifest.Set, object manifest.Object) *lintInputs {
	folder := "."
	if file := set.FileOf(object); file != stdinName {
		folder = filepath.Dir(file)
	}
	configMaps := slices.Concat(set.ConfigMaps, m.configMaps)
	return &lintInputs{local.Inputs{ConfigMaps: configMaps, Namespace: object.GetNamespace(), Folder: folder}, map[string]bool{}}
}

func (l *lintInputs) ConfigMapKey(ctx context.Context, name, key string) ([]byte, error) {
	if !slices.ContainsFunc(l.ConfigMaps, func(cm *corev1.ConfigMap) bool { return cm.Name == name }) {
		message := fmt.Sprintf("ConfigMap %s is in none of the files, so checks that need it do not run", name)
		l.absent[message] = true
		return nil, compile.Missing(message)
	}
	return l.Inputs.ConfigMapKey(ctx, name, key)
}

func (*lintInputs) OpenVolumeFile(string, string) (io.ReadCloser, error) {
	return nil, compile.ErrOnlyPods
}

func (l *lintInputs) findings(set *manifest.Set, object manifest.Object, errs field.ErrorList, reported []lint.Finding) []lint.Finding {
	var found []lint.Finding
	for _, fault := range errs {
		if isReported(fault, reported) {
			continue
		}
		message := fault.ErrorBody()
		if l.isAbsent(fault) {
			message = fault.Detail
		}
		found = append(found, lint.ManifestFinding(set.FileOf(object), set.LineOf(object, fault.Field), fault.Field, l.severity(fault), message))
	}
	return found
}

// plannedFindings are those about fields of an object that others replace, and about the
// manifests of its scalers.
func plannedFindings(set *manifest.Set, object manifest.Object, compiled *compile.Compiled) []lint.Finding {
	if compiled == nil {
		return nil
	}
	file, lineOf := set.FileOf(object), func(path string) int { return set.LineOf(object, path) }
	found := scalerFindings(file, lineOf, compiled.Plan.Findings)
	for _, f := range compiled.Plan.Findings {
		if f.Rule == lint.DeprecatedField {
			found = append(found, lint.DeprecatedFieldFinding(file, lineOf(f.Path), f.Path, f.Message))
		}
	}
	return found
}

// severity of a ConfigMap or trace that is not here is Info: the cluster, or the
// machine that simulates, may have it.
func (l *lintInputs) severity(fault *field.Error) lint.Severity {
	isTrace := strings.Contains(fault.Field, ".workload.trace.") && fault.Type == field.ErrorTypeNotFound
	if isTrace || l.isAbsent(fault) {
		return lint.Info
	}
	return lint.Error
}

func (l *lintInputs) isAbsent(fault *field.Error) bool {
	return fault.Type == field.ErrorTypeNotFound && l.absent[fault.Detail]
}

// isReported tells faults of an inline EPP configuration that are findings of
// their own, with lines within the text.
func isReported(fault *field.Error, reported []lint.Finding) bool {
	_, within, isInline := strings.Cut(fault.Field, ".endpointPickerConfig.inline")
	return isInline && slices.ContainsFunc(reported, func(f lint.Finding) bool {
		return f.Severity == lint.Error && f.Path == strings.TrimPrefix(within, ".")
	})
}
