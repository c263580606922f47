// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// TestLoadersOfAllVersions compares with what the real loader of each version
// makes of small configurations: its verdict, over what it refuses, the plugins
// that it ends up with, and the profiles. What it accepts must come out as a text
// that means the same to that version. See testdata/loader/README.md.
func TestLoadersOfAllVersions(t *testing.T) {
	compareLoaders(t, "verdicts", func(file string) string { return filepath.Join("testdata", "loader", "configs", file) })
}

// TestLoadersOfAllVersionsOnPublishedFiles does so with published configurations.
func TestLoadersOfAllVersionsOnPublishedFiles(t *testing.T) {
	compareLoaders(t, "published", func(file string) string {
		if strings.HasPrefix(file, "unit__") {
			return testdata.File(t, "epp", "golden", file)
		}
		return testdata.File(t, "epp", "configs", file)
	})
}

func compareLoaders(t *testing.T, folder string, find func(file string) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", "loader", folder, "*.tsv"))
	if err != nil || len(paths) != len(version.All)-1 { // the fork's loader is not at hand
		t.Fatalf("verdicts of %d versions: %v", len(paths), err)
	}
	for _, path := range paths {
		version := strings.TrimSuffix(filepath.Base(path), ".tsv")
		verdicts := readLoaderVerdicts(t, path)
		texts := make([][]byte, len(verdicts))
		for i, v := range verdicts {
			if texts[i], err = os.ReadFile(find(v.file)); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(version, func(t *testing.T) {
			differing := 0
			for i, v := range verdicts {
				got := Judge(texts[i], version, nil)
				if difference := v.difference(&got, texts[i]); difference != "" {
					differing++
					t.Errorf("%s: %s", v.file, difference)
				} else if got.Stage == config.Accepted {
					checkSameAgain(t, v.file, got.Config)
				}
			}
			t.Logf("%d of %d verdicts differ", differing, len(verdicts))
		})
	}
}

// checkSameAgain judges what a configuration is marshalled to.
func checkSameAgain(t *testing.T, file string, c *config.Config) {
	t.Helper()
	text := marshal(t, c)
	again := Judge([]byte(text), c.Version(), nil)
	if again.Stage != config.Accepted {
		t.Errorf("%s: %s: %v\n%s", file, again.Stage, again.Errors, text)
		return
	}
	if second := marshal(t, again.Config); second != text {
		t.Errorf("%s: marshalled\n%s, then\n%s", file, text, second)
	}
}

// A loaderRow is a row of testdata/loader/verdicts.
type loaderRow struct{ file, verdict, word, plugins, profiles string }

func readLoaderVerdicts(t *testing.T, path string) []loaderRow {
	t.Helper()
	raw := testfile.Read(t, path)
	var verdicts []loaderRow
	for line := range strings.Lines(string(raw)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !strings.HasPrefix(line, "#") {
			verdicts = append(verdicts, loaderRow{columns[0], columns[1], columns[2], columns[3], columns[4]})
		}
	}
	return verdicts
}

// difference says what a verdict of ours has otherwise, or nothing.
func (v *loaderRow) difference(got *config.LoadResult, text []byte) string {
	stage, ok := map[string]config.Stage{
		"ACCEPT": config.Accepted, "ACCEPT experimental": config.Accepted, "REJECT decode": config.RefusedInDecoding,
		"REJECT load": config.RefusedInLoading, "REJECT start": config.RefusedInStarting, "CRASH": config.RefusedInLoading,
		"ACCEPT or CRASH": config.Accepted,
	}[v.verdict]
	switch {
	case !ok:
		return "no such verdict: " + v.verdict
	case got.Stage != stage:
		return string(got.Stage) + " " + strings.Join(errorTexts(got.Errors), "; ") + ", want " + v.verdict + " " + v.word
	case stage != config.Accepted:
		if word, _, _ := strings.Cut(v.word, ","); word != "-" && word != `""` && word != "(varies)" && !about(got.Errors[0], word, text) {
			return "refused over " + got.Errors[0].Error() + ", want " + v.word
		}
		return ""
	case got.Experimental != (v.verdict == "ACCEPT experimental"):
		return "experimental or not: want " + v.verdict
	}
	if plugins := instances(got.Config); v.plugins != "(varies)" && plugins != v.spelledOut() {
		return "plugins\n" + plugins + ", want\n" + v.spelledOut()
	}
	if profiles := profilesOf(got.Config); strings.Contains(v.profiles, "; scorers") && profiles != v.profiles {
		return "profiles\n" + profiles + ", want\n" + v.profiles
	}
	return ""
}

// spelledOut has name=name where the file has the name alone.
func (v *loaderRow) spelledOut() string {
	if v.plugins == "-" {
		return ""
	}
	list := strings.Split(v.plugins, ",")
	for i, name := range list {
		if !strings.Contains(name, "=") {
			list[i] = name + "=" + name
		}
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// profilesOf lists the profiles as the file does.
func profilesOf(c *config.Config) string {
	var all []string
	for _, profile := range c.Document.SchedulingProfiles {
		var filters, scorers []string
		picker := "none"
		for _, entry := range profile.Plugins {
			p := c.Plugin(entry.PluginRef)
			if p.Has(config.FilterRole) {
				filters = append(filters, filterName(c, p))
			}
			if p.Has(config.ScorerRole) {
				scorers = append(scorers, p.Name+"="+formatWeight(*entry.Weight))
			}
			if p.Has(config.PickerRole) {
				picker = p.Name
			}
		}
		slices.Sort(scorers)
		all = append(all, profile.Name+": filters "+strings.Join(filters, ">")+"; scorers "+strings.Join(scorers, ",")+"; picker "+picker)
	}
	slices.Sort(all)
	return strings.Join(all, " | ")
}

// filterName is the name that an instance says it has: a tree that of its first
// filter.
func filterName(c *config.Config, p *config.Plugin) string {
	if tree, ok := p.Parameters.(*decisionTree); ok {
		return *tree.Current.PluginRef
	}
	return p.Name
}

func formatWeight(weight float64) string {
	return strings.Replace(strconv.FormatFloat(weight, 'g', -1, 64), "e+", "e", 1)
}

// about reports whether a fault is about a word: its text has it, or it is the
// name or type of the plugin or profile that the fault is in.
func about(err *field.Error, word string, text []byte) bool {
	if strings.Contains(err.Error(), word) || err.Field == "<nil>" {
		return true
	}
	var document struct {
		Plugins            []struct{ Name, Type string }
		SchedulingProfiles []struct {
			Name    string
			Plugins []struct{ PluginRef string }
		}
		Kind      string
		DataLayer struct{ Sources []struct{ PluginRef string } }
	}
	if yaml.Unmarshal(text, &document) != nil {
		return false
	}
	if m := pluginIndex.FindStringSubmatch(err.Field); m != nil {
		if i, _ := strconv.Atoi(m[1]); i < len(document.Plugins) {
			p := document.Plugins[i]
			return p.Type == word || p.Name == word || word == "document" && strings.HasSuffix(err.Field, ".parameters")
		}
	}
	if m := profileIndex.FindStringSubmatch(err.Field); m != nil {
		i, _ := strconv.Atoi(m[1])
		profile := document.SchedulingProfiles[i]
		j, _ := strconv.Atoi(m[2])
		return strings.Contains(word, profile.Name) || m[2] != "" && profile.Plugins[j].PluginRef == word
	}
	if m := sourceIndex.FindStringSubmatch(err.Field); m != nil {
		i, _ := strconv.Atoi(m[1])
		return document.DataLayer.Sources[i].PluginRef == word
	}
	return document.Kind == word
}

var (
	pluginIndex  = regexp.MustCompile(`^plugins\[(\d+)\]`)
	sourceIndex  = regexp.MustCompile(`^dataLayer\.sources\[(\d+)\]`)
	profileIndex = regexp.MustCompile(`^schedulingProfiles\[(\d+)\](?:\.plugins\[(\d+)\])?`)
)
