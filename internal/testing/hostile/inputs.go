// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// bombBytes is what the smallest gzip files unpack to.
	bombBytes = 64 << 20
	// configMapBytes is a little less than what a ConfigMap may hold.
	configMapBytes = 900 << 10
	// key is under which each ConfigMap holds its file.
	key = "file"
)

// Inputs are the ConfigMaps that the objects name, without a namespace.
func Inputs() []*corev1.ConfigMap {
	var all []*corev1.ConfigMap
	for _, files := range []map[string][]byte{traces(), pickers(), others()} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			all = append(all, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				BinaryData: map[string][]byte{key: files[name]},
			})
		}
	}
	return all
}

// The files by name, each of which takes a while to make.
var (
	traces  = sync.OnceValue(makeTraces)
	pickers = sync.OnceValue(makePickers)
	others  = sync.OnceValue(makeOthers)
)

// makeTraces makes Mooncake files that are too much, or none.
func makeTraces() map[string][]byte {
	manyBlocks := mooncake(19532)
	return map[string][]byte{
		"trace-bomb":       gzipped(manyBlocks, bombBytes),
		"trace-zeros":      gzipped(make([]byte, 1<<20), bombBytes),
		"trace-one-row":    gzipped([]byte("1,"), bombBytes),
		"trace-huge-row":   mooncake(100_000),
		"trace-rows":       repeated([]byte(`{"timestamp":0,"input_length":1,"output_length":1,"hash_ids":[0]}`+"\n"), configMapBytes),
		"trace-negative":   []byte(`{"timestamp":-1,"input_length":-5,"output_length":1e300,"hash_ids":[-1]}` + "\n"),
		"trace-numbers":    []byte(`{"timestamp":9223372036854775807,"input_length":9223372036854775807,"output_length":9223372036854775807,"hash_ids":[]}` + "\n"),
		"trace-nested":     []byte(strings.Repeat("[", 400_000)),
		"trace-broken":     []byte(`{"timestamp": 0, "input_length": `),
		"trace-cut-gzip":   gzipped(manyBlocks, 1<<20)[:100],
		"trace-no-gzip":    {0x1f, 0x8b, 0x08, 0x00, 0xff},
		"trace-not-utf8":   {0xff, 0xfe, 0x00, 0x0a},
		"trace-empty":      {},
		"trace-empty-gzip": gzipped(nil, 0),
	}
}

// mooncake is a row with a number of ids of blocks.
func mooncake(blocks int) []byte {
	var row bytes.Buffer
	fmt.Fprintf(&row, `{"timestamp":0,"input_length":%d,"output_length":1,"hash_ids":[0`, blocks*512)
	for i := 1; i < blocks; i++ {
		fmt.Fprintf(&row, ",%d", i%10)
	}
	row.WriteString("]}\n")
	return row.Bytes()
}

// makePickers makes EPP files.
func makePickers() map[string][]byte {
	const head = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"
	var plugins, profiles strings.Builder
	plugins.WriteString(head + "plugins:\n")
	for i := range 24_000 {
		fmt.Fprintf(&plugins, "- {type: queue-scorer, name: p%d}\n", i)
	}
	profiles.WriteString(head + "plugins: [{type: queue-scorer}]\nschedulingProfiles:\n")
	for i := range 10_000 {
		fmt.Fprintf(&profiles, "- {name: s%d, plugins: [{pluginRef: queue-scorer}]}\n", i)
	}
	aliases := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		aliases += fmt.Sprintf("%c: &%[1]c [%s]\n", c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	return map[string][]byte{
		"epp-plugins":  []byte(plugins.String()),
		"epp-profiles": []byte(profiles.String()),
		"epp-aliases":  []byte(head + aliases),
		"epp-deep":     []byte(head + "plugins: " + strings.Repeat("[", 50_000)),
		"epp-broken":   []byte(head + "plugins:\n- type: [\n\t- {"),
		"epp-nulls":    []byte(head + "plugins: [null, {type: null}, {type: queue-scorer, parameters: null}]\nschedulingProfiles: [null, {name: null, plugins: null}]\n"),
		"epp-kind":     []byte("apiVersion: v1\nkind: Secret\n"),
		"epp-numbers":  []byte(head + "plugins: [{type: queue-scorer}]\nschedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer, weight: 1e400}]}]\n"),
		"epp-gzip":     gzipped([]byte(head), bombBytes),
		"epp-empty":    {},
		"epp-not-utf8": {0xff, 0xfe, 0x00},
	}
}

// makeOthers makes catalogues.
func makeOthers() map[string][]byte {
	var models strings.Builder
	models.WriteString("models:\n")
	for i := range 20_000 {
		fmt.Fprintf(&models, "- {name: m%d, layers: 1}\n", i)
	}
	return map[string][]byte{
		"catalogue-models": []byte(models.String()),
		"catalogue-nulls":  []byte("models: [null]\naccelerators: [null, {name: null}]\n"),
		"catalogue-broken": []byte("models: {{{"),
	}
}

// repeated repeats a text up to a size.
func repeated(text []byte, size int) []byte { return bytes.Repeat(text, size/len(text)) }

// gzipped packs a text that is repeated up to a size.
func gzipped(text []byte, size int) []byte {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		panic(fmt.Sprintf("hostile: %v", err))
	}
	for written := 0; written < size; written += len(text) {
		if _, err := w.Write(text); err != nil {
			panic(fmt.Sprintf("hostile: %v", err))
		}
	}
	if err := w.Close(); err != nil {
		panic(fmt.Sprintf("hostile: %v", err))
	}
	return packed.Bytes()
}
