// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	scalerlint "windtunnel.dev/windtunnel/pkg/policy/autoscaling/lint"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// AutoVersion asks for the version that a file fits.
const AutoVersion = "auto"

// MaxPickerFileBytes bounds a file that holds an EPP configuration. It is what the
// schema lets an inline one have, so that a file can be taken to a cluster as it is.
const MaxPickerFileBytes = MaxSourceBytes

// pickerConfig reads an EPP configuration and returns it as a scenario's tree
// holds it: the EPP's document after defaulting, and the version.
func (c *compiler) pickerConfig(of experiment.PickerKey, in v1alpha1.EndpointPickerConfig, path *field.Path) (experiment.Tree, field.ErrorList) {
	told := c.told[of.Model]
	if in.Version != AutoVersion {
		if errs := version.Validate(in.Version, path.Child(setup.VersionField)); len(errs) > 0 {
			return nil, errs
		}
	}
	file, at, errs := c.pickerText(in, path)
	if len(errs) > 0 {
		return nil, errs
	}
	c.keepFile(of, &in, file)
	source, errs := onlyConfig(file, at)
	if len(errs) > 0 {
		return nil, errs
	}
	text := source.Text
	if errs := files.CheckSize(text, at); len(errs) > 0 || c.interrupted(at) {
		return nil, errs
	}
	version := in.Version
	if version == AutoVersion {
		if version, errs = c.newestVersion(text, path.Child(setup.VersionField)); len(errs) > 0 {
			return nil, append(errs, epp.Judge(text, version, at).Errors...)
		}
	}
	picker, errs := epp.Load(text, version, at)
	if len(errs) > 0 || c.interrupted(at) {
		return nil, errs
	}
	if errs := picker.Check(&told.cluster, at); len(errs) > 0 {
		return nil, errs
	}
	c.plan.Warnings = append(c.plan.Warnings, warnings(picker, at)...)
	linted := told.linted
	linted.Experimental = source.Start.Experimental
	c.lint(text, version, linted, at)
	c.plan.Warnings = append(c.plan.Warnings, otherStart(&source.Start, &told.linted, at)...)
	if kvUsage, queue, ok := epp.DetectorThresholds(picker); ok && of == (experiment.PickerKey{Model: of.Model}) {
		c.detectors[of.Model] = &scalerlint.Detector{KVUsage: kvUsage, Queue: queue}
	}
	if of == (experiment.PickerKey{Model: of.Model}) {
		for i := range told.scenario.Pools {
			c.exporters[told.scenario.Pools[i].Name] = setup.Exporter(picker, told.scenario)
		}
	}
	c.noteApproximations(picker, &told.cluster)
	document, err := experiment.ToTree(picker)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal EndpointPickerConfig: %v", err))
	}
	document[setup.VersionField] = version
	return document, nil
}

// newestVersion returns the newest version that accepts a file, and notes which; or
// the one that comes nearest to it, with an error.
func (c *compiler) newestVersion(text []byte, path *field.Path) (string, field.ErrorList) {
	verdict, why := epp.Newest(text, nil)
	if verdict.Stage != config.Accepted {
		return verdict.Version, field.ErrorList{field.Invalid(path, AutoVersion, why)}
	}
	c.plan.Warnings = append(c.plan.Warnings, fmt.Sprintf("%s: %s", path, why))
	return verdict.Version, nil
}

// noteApproximations notes which plugins and settings decide otherwise than the
// EPP's, once each, however many configurations have them.
func (c *compiler) noteApproximations(picker *config.Config, cluster *config.Cluster) {
	texts := picker.Approximations()
	for _, p := range picker.Report(cluster) {
		if p.Treatment == config.Approximated {
			texts = append(texts, p.Name+": "+p.Note)
		}
	}
	c.plan.Approximations = appendNew(c.plan.Approximations, texts)
}

// pickerText returns the file of the EPP's configuration and the field that it
// comes from.
func (c *compiler) pickerText(in v1alpha1.EndpointPickerConfig, path *field.Path) ([]byte, *field.Path, field.ErrorList) {
	if in.Inline != nil {
		return []byte(*in.Inline), path.Child("inline"), nil
	}
	if in.File != nil {
		return c.pickerFromFile(*in.File, path.Child("file"))
	}
	at, ref := path.Child("configMapRef"), v1alpha1.ConfigMapKeyReference(*in.ConfigMapRef)
	file, errs := c.configMapKey(&ref, at)
	if len(errs) > 0 {
		return nil, at, errs
	}
	if len(file) > MaxPickerFileBytes {
		return nil, at, field.ErrorList{field.TooLong(at, "", MaxPickerFileBytes)}
	}
	c.pinConfigMap(&ref, experiment.Digest(file))
	return file, at, nil
}

// pickerFromFile reads a file of the machine and pins it.
func (c *compiler) pickerFromFile(name string, path *field.Path) ([]byte, *field.Path, field.ErrorList) {
	file, errs := c.file(name, path)
	if len(errs) > 0 {
		return nil, path, errs
	}
	if len(file) > MaxPickerFileBytes {
		return nil, path, field.ErrorList{field.TooLong(path, "", MaxPickerFileBytes)}
	}
	c.pin("File/"+name, experiment.Digest(file))
	return file, path, nil
}

// onlyConfig finds the one EPP configuration of a file, which may be bare or in a
// ConfigMap or Helm values. A file that has none is for the EPP's loader to
// judge.
func onlyConfig(file []byte, path *field.Path) (files.Source, field.ErrorList) {
	sources, err := files.Find(file)
	switch {
	case err != nil || len(sources) == 0:
		return files.Source{Text: file}, nil
	case len(sources) == 1:
		return sources[0], nil
	}
	var names []string
	for _, s := range sources {
		names = append(names, s.Name)
	}
	return files.Source{}, field.ErrorList{field.Invalid(path, field.OmitValueType{}, fmt.Sprintf(
		"has %d EPP configurations (%s), but a simulation needs one: remove the others", len(sources), strings.Join(names, "; ")))}
}

// onlyPicker finds the one value of a ConfigMap that holds EPP configurations.
func onlyPicker(cm *corev1.ConfigMap) ([]byte, error) {
	var keys []string
	for _, key := range keysOf(cm) {
		raw, _ := ConfigMapKey(cm, key)
		if len(raw) > MaxPickerFileBytes {
			continue // none that could be used
		}
		if sources, _ := files.Find(raw); len(sources) > 0 {
			keys = append(keys, key)
		}
	}
	if len(keys) == 1 {
		return ConfigMapKey(cm, keys[0])
	}
	return nil, Missing(fmt.Sprintf("ConfigMap %s holds an EPP configuration under %d keys (of %s); name one as key",
		cm.Name, len(keys), spelling.Quote(keysOf(cm))))
}

// keepFile remembers the file of a configuration.
func (c *compiler) keepFile(of experiment.PickerKey, in *v1alpha1.EndpointPickerConfig, text []byte) {
	file := experiment.PickerFile{Text: text}
	if in.ConfigMapRef != nil {
		file.ConfigMap, file.Key = in.ConfigMapRef.Name, in.ConfigMapRef.Key
	}
	if in.File != nil {
		file.Key = keyOfFile(*in.File)
	}
	if c.plan.Pickers == nil {
		c.plan.Pickers = map[experiment.PickerKey]experiment.PickerFile{}
	}
	c.plan.Pickers[of] = file
}

// keyOfFile is a file's name without folders where a ConfigMap may have it as a
// key, and otherwise empty.
func keyOfFile(file string) string {
	name := filepath.Base(file)
	if len(validation.IsConfigMapKey(name)) > 0 {
		return ""
	}
	return name
}
