// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"strings"
	"testing"
)

const mebibyte = 1 << 20

var configMapCases = map[string]struct {
	doc      object
	accepted bool
}{
	"empty":                       {configMap(nil, nil), true},
	"text and bytes":              {configMap(object{"a.csv": "x"}, object{"b.gz": "AAAA"}), true},
	"exactly 1 MiB":               {configMap(object{"a": strings.Repeat("x", mebibyte)}, nil), true},
	"more than 1 MiB":             {configMap(object{"a": strings.Repeat("x", mebibyte)}, object{"b": "AAAA"}), false},
	"a key that is no file name":  {configMap(object{"a/b": "x"}, nil), false},
	"too long a key":              {configMap(nil, object{letters(254): ""}), false},
	"a key in both":               {configMap(object{"a": "x"}, object{"a": "AAAA"}), false},
	"a number as text":            {configMap(object{"a": 1}, nil), false},
	"bytes that are not base64":   {configMap(nil, object{"a": "!"}), false},
	"a name with capitals":        {with(configMap(nil, nil), place{"metadata", "name"}, "Traces").(object), false},
	"no name":                     {with(configMap(nil, nil), place{"metadata", "name"}, gone).(object), false},
	"an unknown field":            {with(configMap(nil, nil), place{"spec"}, object{}).(object), false},
	"an unknown field inside":     {with(configMap(nil, nil), place{"metadata", "nam"}, "x").(object), false},
	"immutable":                   {with(configMap(nil, nil), place{"immutable"}, true).(object), true},
	"a label value that is none":  {with(configMap(nil, nil), place{"metadata", "labels"}, object{"a": "-"}).(object), false},
	"data that is a list of text": {with(configMap(nil, nil), place{"data"}, []any{"x"}).(object), false},
}

func configMap(data, binaryData object) object {
	return object{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   object{"name": "traces"},
		"data":       data,
		"binaryData": binaryData,
	}
}

func TestManifestReadsConfigMaps(t *testing.T) {
	for name, c := range configMapCases {
		t.Run(name, func(t *testing.T) {
			if got := localVerdict(t, encode(t, c.doc)); got.accepted() != c.accepted {
				t.Errorf("accepted %t, want %t: %v", got.accepted(), c.accepted, got.faults)
			}
		})
	}
}

func TestServerAndManifestAgreeOnConfigMaps(t *testing.T) {
	s := server(t)
	for name, c := range configMapCases {
		t.Run(name, func(t *testing.T) {
			body := encode(t, c.doc)
			compare(t, serverVerdict(t, s, "ConfigMap", jsonType, body), localVerdict(t, body))
		})
	}
}
