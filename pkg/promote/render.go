// SPDX-License-Identifier: Apache-2.0

package promote

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// firstKeys are written before the others of an object, in this order.
var firstKeys = []string{"name", "type", "pluginRef", "weight"}

// ordered are the keys of objects in the order in which they are written.
func ordered(objects ...object) []string {
	all := map[string]bool{}
	for _, o := range objects {
		for key := range o {
			all[key] = true
		}
	}
	rank := func(key string) int {
		if i := slices.Index(firstKeys, key); i >= 0 {
			return i
		}
		return len(firstKeys)
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if x := rank(a) - rank(b); x != 0 {
			return x
		}
		return strings.Compare(a, b)
	})
}

// blockLines are the lines of a value in block style. Dashes of lists stand so
// many columns behind their key.
func blockLines(v any, dash int) []string {
	var lines []string
	switch v := v.(type) {
	case object:
		for _, key := range ordered(v) {
			lines = append(lines, fieldLines(key, v[key], dash)...)
		}
	case list:
		for _, e := range v {
			for i, line := range blockLines(e, dash) {
				lead := "  "
				if i == 0 {
					lead = "- "
				}
				lines = append(lines, lead+line)
			}
		}
	default:
		lines = []string{scalar(v, false)}
	}
	return lines
}

// fieldLines are those of a key with its value.
func fieldLines(key string, v any, dash int) []string {
	indent := 2
	switch v := v.(type) {
	case object:
		if len(v) == 0 {
			return []string{key + ": {}"}
		}
	case list:
		if len(v) == 0 {
			return []string{key + ": []"}
		}
		indent = dash
	default:
		return []string{key + ": " + scalar(v, false)}
	}
	lines := []string{key + ":"}
	for _, line := range blockLines(v, dash) {
		lines = append(lines, strings.Repeat(" ", indent)+line)
	}
	return lines
}

// flowText is a value in braces. asJSON has all texts in quotes.
func flowText(v any, asJSON bool) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for _, key := range ordered(v) {
			parts = append(parts, fieldText(key, v[key], asJSON))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case list:
		for _, e := range v {
			parts = append(parts, flowText(e, asJSON))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return scalar(v, asJSON)
}

func fieldText(key string, v any, asJSON bool) string {
	if asJSON {
		key = strconv.Quote(key)
	}
	return key + ": " + flowText(v, asJSON)
}

// scalar writes a value that has no style yet.
func scalar(v any, asJSON bool) string {
	text, isText := v.(string)
	switch {
	case !isText:
		return fmt.Sprint(v)
	case asJSON || !plain(text):
		return quoted(text)
	}
	return text
}

// plain reports whether a text needs no quotes, not even in braces.
func plain(text string) bool {
	if strings.ContainsAny(text, ",[]{}\n") {
		return false
	}
	raw, err := yamlv3.Marshal(text)
	return err == nil && string(raw) == text+"\n"
}

// quoted writes a text in double quotes as JSON does, which is YAML too.
func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("promote: marshal a string: %v", err))
	}
	return string(raw)
}

// inStyleOf writes a value in a scalar's place, in its quotes.
func inStyleOf(n *yamlv3.Node, v any) string {
	text, isText := v.(string)
	switch {
	case !isText:
		return fmt.Sprint(v)
	case n.Style&yamlv3.DoubleQuotedStyle != 0:
		return quoted(text)
	case n.Style&yamlv3.SingleQuotedStyle != 0 && !strings.Contains(text, "\n"):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return scalar(v, false)
}
