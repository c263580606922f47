// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
)

// A Weight is the weight of a scorer, which a sweep varies.
type Weight struct {
	// Name is the parameter's, Path leads to the weight, and Now is its value.
	Name, Path, Now string
	// Values are those that the sweep tries, Now among them.
	Values []string
}

// mostWeights bounds the parameters, so that a first sweep takes seconds.
const mostWeights = 2

// tried are the weights that a sweep tries, in addition to the present one.
var tried = []float64{0, 1, 2, 4}

// errNoWeights says that there is nothing to vary.
var errNoWeights = errors.New("the EPP configuration has no scorer with a weight, so that a sweep has nothing to vary: write a SimulationRun, or a sweep of other parameters (docs/sweeps.md)")

// Weights are the weights of a configuration that matter most: those of prefix scorers first.
func Weights(file []byte) ([]Weight, error) {
	sources, err := files.Find(file)
	if err != nil {
		return nil, err
	}
	if len(sources) != 1 {
		return nil, fmt.Errorf("the file must have one EndpointPickerConfig, and has %d", len(sources))
	}
	var config struct {
		SchedulingProfiles []struct {
			Name    string
			Plugins []struct {
				PluginRef string
				Weight    *float64
			}
		}
	}
	if err := yaml.Unmarshal(sources[0].Text, &config); err != nil {
		return nil, err
	}
	var all []Weight
	for _, profile := range config.SchedulingProfiles {
		for _, p := range profile.Plugins {
			if p.Weight != nil {
				all = append(all, newWeight(profile.Name, p.PluginRef, *p.Weight))
			}
		}
	}
	if len(all) == 0 {
		return nil, errNoWeights
	}
	slices.SortStableFunc(all, func(a, b Weight) int { return prefixFirst(a) - prefixFirst(b) })
	all = all[:min(mostWeights, len(all))]
	for i := range all {
		if i > 0 && all[i].Name == all[0].Name {
			all[i].Name += "2"
		}
	}
	return all, nil
}

func newWeight(profile, plugin string, now float64) Weight {
	w := Weight{
		Name: parameterName(plugin), Now: strconv.FormatFloat(now, 'f', -1, 64),
		Path: fmt.Sprintf("router.endpointPickerConfig.schedulingProfiles[%s].plugins[%s].weight", profile, plugin),
	}
	values := slices.Clone(tried)
	if !slices.Contains(values, now) {
		values = append(values, now)
	}
	slices.Sort(values)
	for _, v := range values {
		w.Values = append(w.Values, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return w
}

func prefixFirst(w Weight) int {
	if strings.Contains(w.Path, "prefix") {
		return 0
	}
	return 1
}

// parameterName makes a name of a parameter of that of a plugin: prefix-cache-scorer is
// prefixCache.
func parameterName(plugin string) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(strings.TrimSuffix(plugin, "-scorer"), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if name.Len() > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		name.WriteString(word)
	}
	text := name.String()
	if text == "" || text[0] >= '0' && text[0] <= '9' {
		return "weight" + text
	}
	return text
}
