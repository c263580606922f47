// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A realLoad is what a real loader makes of a file.
type realLoad struct {
	file         string
	stage        config.Stage
	experimental bool
	// message is why it was refused.
	message string
	// plugins are the effective ones, name=type, sorted, comma-separated.
	plugins string
}

// readVerdicts reads a file like VERDICTS.tsv.
func readVerdicts(t testing.TB, path string) []realLoad {
	t.Helper()
	raw := testfile.Read(t, path)
	var verdicts []realLoad
	for line := range strings.Lines(string(raw)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(columns) < 2 {
			continue
		}
		v := realLoad{file: columns[0], stage: config.Accepted}
		switch kind, message, _ := strings.Cut(columns[1], ": "); kind {
		case "REJECT decode":
			v.stage, v.message = config.RefusedInDecoding, message
		case "REJECT load":
			v.stage, v.message = config.RefusedInLoading, message
		case "REJECT start":
			v.stage, v.message = config.RefusedInStarting, message
		case "ACCEPT", "ACCEPT (needs --allow-experimental-plugins)":
			v.plugins = columns[2]
			v.experimental = kind != "ACCEPT"
		default:
			t.Fatalf("%s: verdict %q", path, columns[1])
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// differences says what a verdict of ours on the text has otherwise.
func (v *realLoad) differences(got *config.LoadResult, text []byte) []string {
	if got.Stage != v.stage {
		return []string{fmt.Sprintf("%s (%v), but the real loader: %s: %s", got.Stage, got.Errors, v.stage, v.message)}
	}
	var differences []string
	if v.stage != config.Accepted && !v.about(got.Errors, text) {
		differences = append(differences, fmt.Sprintf("refused over %v, but the real loader says: %s", got.Errors[0], v.message))
	}
	if v.stage != config.Accepted {
		return differences
	}
	if got.Experimental != v.experimental {
		differences = append(differences, fmt.Sprintf("experimental: %t, want %t", got.Experimental, v.experimental))
	}
	if diff := gocmp.Diff(v.plugins, instances(got.Config)); diff != "" {
		differences = append(differences, "plugins (-want +got):\n"+diff)
	}
	return differences
}

// culprits find in a message of the real loader what it is about, the surest
// first.
var faultyPlugins = []*regexp.Regexp{
	regexp.MustCompile(`(?:unknown field|duplicate field|key) "([^"]+)"`),
	regexp.MustCompile(`plugin type '([^']+)' is not`),
	regexp.MustCompile(`is registered for version "([^"]+)"`),
	regexp.MustCompile(`feature gate '([^']+)'`),
	regexp.MustCompile(`unregistered plugin (\S+)`),
	regexp.MustCompile(`undefined plugin '([^']+)'`),
	regexp.MustCompile(`Go struct field (?:\S+\.)?([^.\s]+) of`),
	regexp.MustCompile(`duplicate plugin name '([^']+)'`),
	regexp.MustCompile(`multiple profile handlers found \('([^']+)', '([^']+)'`),
	regexp.MustCompile(`plugin '([^']+)' `),
	regexp.MustCompile(`consumed by:? (\S+)`),
}

// createdAtRandom is how the real loader complains of parameters. It makes plugins
// that do not refer to each other in random order, so that of several faulty ones it
// may name any.
var createdAtRandom = regexp.MustCompile(`plugin instantiation failed: failed to create plugin`)

// about reports whether the first of our errors is about what the message is about,
// or one of the things, where it lists several: its field, its value or its text
// names the culprit.
func (v *realLoad) about(errs field.ErrorList, text []byte) bool {
	candidates := errs[:1]
	if createdAtRandom.MatchString(v.message) {
		candidates = errs
	}
	names := faultyPluginsOf(v.message)
	return names == nil || slices.ContainsFunc(candidates, func(err *field.Error) bool {
		return slices.ContainsFunc(names, func(name string) bool { return about(err, name, text) })
	})
}

func faultyPluginsOf(message string) []string {
	for _, culprit := range faultyPlugins {
		var names []string
		for _, m := range culprit.FindAllStringSubmatch(message, -1) {
			names = append(names, m[1:]...)
		}
		if names != nil {
			return names
		}
	}
	return nil
}

// reportedTypes are those of which instances say that they are of another type.
var reportedTypes = map[string]string{
	config.StaticUsageLimitPolicyType: "static-usage-limit-policy-type",
	decodeFilterType:                  byLabelType,
	prefillFilterType:                 byLabelType,
	encodeFilterType:                  byLabelType,
	servedVerifierType:                "",
}

// reportedType is what an instance says of itself.
func reportedType(c *config.Config, p *config.Plugin) string {
	if p.Type == prefillHeaderHandlerType && c.Dialect.Own >= version.Scheduler07 {
		return disaggHeadersHandlerType
	}
	switch {
	case p.Type == "tokenizer" && c.Dialect.Own >= version.SchedulerMay:
		return config.TokenProducerType
	case p.Has(config.DeciderRole) && c.Dialect.Own == version.Scheduler06:
		return ""
	}
	if tree, ok := p.Parameters.(*decisionTree); ok {
		return c.Plugin(*tree.Current.PluginRef).Type
	}
	if other, ok := reportedTypes[p.Type]; ok {
		return other
	}
	return p.Type
}

// instances lists a configuration's plugins as VERDICTS.tsv does.
func instances(c *config.Config) string {
	var list []string
	for _, r := range c.Report(nil) {
		entry := r.Name + "=" + reportedType(c, c.Plugin(r.Name))
		list = append(list, entry)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// dataConfigs are the published configurations, where they are at hand.
func dataConfigs(t testing.TB) [][]byte {
	var texts [][]byte
	for _, pattern := range []string{"configs/*.yaml", "golden/unit__*.yaml"} {
		paths, err := filepath.Glob(filepath.Join(testdata.Dir(t), "epp", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	return texts
}

func TestErrorsOfRealLoaders(t *testing.T) {
	for message, want := range map[string][]string{
		`failed to decode configuration JSON/YAML: json: cannot unmarshal string into Go struct field PriorityBandConfig.flowControl.priorityBands.priority of type int`: {"priority"},
		`strict decoding error: yaml: unmarshal errors: line 6: key "plugins" already set in map, unknown field "schedulingProfiles[0].-pluginRef"`:                      {"plugins", "schedulingProfiles[0].-pluginRef"},
		`plugin instantiation failed: failed to create plugin 'mine' (type: by-label): 'label' must be specified`:                                                        {"mine"},
		`scheduler config build failed: multiple profile handlers found ('a', 'b'); only one is allowed`:                                                                 {"a", "b"},
		`no profile handler configured`: nil,
	} {
		if diff := gocmp.Diff(want, faultyPluginsOf(message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", message, diff)
		}
	}
}
