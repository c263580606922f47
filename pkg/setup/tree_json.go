// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

// TreeJSON is what json.Marshal makes of a value that was decoded from JSON, with numbers as
// [json.Number]. Each simulation is known by the JSON of its scenario, and a small one runs about as
// long as the usual encoder takes for that.
func TreeJSON(v any) []byte { return appendJSON(make([]byte, 0, 4096), v) }

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendText(b, v)
	case []any:
		b = append(b, '[')
		for i, entry := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, entry)
		}
		return append(b, ']')
	case Tree:
		return appendObject(b, v)
	default:
		return appendAny(b, v)
	}
}

func appendObject(b []byte, object Tree) []byte {
	var few [16]string
	names := few[:0]
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendJSON(b, object[name])
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	if !jsonline.IsPlain(s) {
		return appendAny(b, s)
	}
	return jsonline.Text(b, s)
}

func appendAny(b []byte, v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("setup: marshal %T: %v", v, err))
	}
	return append(b, raw...)
}
