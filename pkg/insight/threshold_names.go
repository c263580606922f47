// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// A threshold is a field of [Thresholds] as users write it.
type threshold struct {
	name string
	// set reads a text. It returns what the value must be if the text is no such value.
	set func(t *Thresholds, text string) string
}

// thresholds are all fields of [Thresholds], in their order.
var thresholds = []threshold{
	{"minRequests", whole(func(t *Thresholds) *int { return &t.MinRequests })},
	{"minShare", part(func(t *Thresholds) *float64 { return &t.MinShare })},
	{"ttft", lasting(func(t *Thresholds) *time.Duration { return &t.TTFT })},
	{"inversionMargin", lasting(func(t *Thresholds) *time.Duration { return &t.InversionMargin })},
	{"cacheTokens", whole(func(t *Thresholds) *int { return &t.Tokens })},
	{"cacheMemory", lasting(func(t *Thresholds) *time.Duration { return &t.Remembered })},
	{"divergence", part(func(t *Thresholds) *float64 { return &t.Divergence })},
	{"waiting", whole(func(t *Thresholds) *int { return &t.Waiting })},
	{"hotShare", factor(func(t *Thresholds) *float64 { return &t.HotShare })},
	{"reversals", whole(func(t *Thresholds) *int { return &t.Reversals })},
	{"reversalWindow", lasting(func(t *Thresholds) *time.Duration { return &t.ReversalWindow })},
	{"burst", factor(func(t *Thresholds) *float64 { return &t.Burst })},
	{"rise", factor(func(t *Thresholds) *float64 { return &t.Rise })},
	{"longPrompt", whole(func(t *Thresholds) *int { return &t.LongPrompt })},
	{"tail", factor(func(t *Thresholds) *float64 { return &t.Tail })},
	{"storm", whole(func(t *Thresholds) *int { return &t.Storm })},
}

func whole(at func(*Thresholds) *int) func(*Thresholds, string) string {
	return reading(at, strconv.Atoi, func(n int) bool { return n >= 1 && n <= 1_000_000 }, "must be a whole number from 1 to 1000000")
}

func part(at func(*Thresholds) *float64) func(*Thresholds, string) string {
	return reading(at, decimal, func(x float64) bool { return x > 0 && x <= 1 }, "must be greater than 0 and at most 1, such as 0.9")
}

func factor(at func(*Thresholds) *float64) func(*Thresholds, string) string {
	return reading(at, decimal, func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }, "must be a number above 0, such as 2.5")
}

func lasting(at func(*Thresholds) *time.Duration) func(*Thresholds, string) string {
	return reading(at, time.ParseDuration, func(d time.Duration) bool { return d > 0 && d <= 8760*time.Hour }, "must be a duration above 0s, up to 8760h, such as 500ms")
}

// decimal reads a number of digits and a point.
func decimal(text string) (float64, error) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// reading is how a field is set to a value that can be parsed and is allowed.
func reading[T any](at func(*Thresholds) *T, parse func(string) (T, error), allowed func(T) bool, must string) func(*Thresholds, string) string {
	return func(t *Thresholds, text string) string {
		value, err := parse(text)
		if err != nil || !allowed(value) {
			return must
		}
		*at(t) = value
		return ""
	}
}

// thresholdNames are the names of the fields of [Thresholds] as users write them.
func thresholdNames() []string {
	names := make([]string, len(thresholds))
	for i := range thresholds {
		names[i] = thresholds[i].name
	}
	return names
}

// Set changes the threshold of a name.
func (t *Thresholds) Set(name, text string, path *field.Path) *field.Error {
	i := slices.IndexFunc(thresholds, func(x threshold) bool { return x.name == name })
	if i < 0 {
		return field.NotSupported(path, name, thresholdNames())
	}
	if must := thresholds[i].set(t, text); must != "" {
		return field.Invalid(path.Child(name), text, must)
	}
	return nil
}

// Read changes the thresholds that YAML names.
func (t *Thresholds) Read(raw []byte, path *field.Path) field.ErrorList {
	text, err := yaml.YAMLToJSONStrict(raw)
	if err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil || len(values) == 0 {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must be YAML with thresholds by their names, such as ttft: 1s")}
	}
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := t.Set(name, fmt.Sprint(values[name]), path); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
