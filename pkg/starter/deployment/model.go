// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// numberFormats are the endings of names under which models are published in other formats, with
// the format of the weights.
var numberFormats = sync.OnceValue(func() []numberFormat {
	return []numberFormat{
		{expression(`(?i)[-.]fp8([-_](dynamic|block|static|kv))*$`), "fp8"},
		{expression(`(?i)[-.](awq|gptq|gptq-int4|w4a16|quantized\.w4a16|int4)$`), "int4"},
		{expression(`(?i)[-.](w8a8|quantized\.w8a8|int8)$`), "int8"},
		{expression(`(?i)[-.](nvfp4|fp4)$`), "nvfp4"},
	}
})

type numberFormat struct {
	ending  func() *regexp.Regexp
	weights v1alpha1.Precision
}

// knownModel is the name in the catalogue of what an engine serves: the name itself, that without
// its organisation, or that without an ending for another format, whose weights are then as given.
func knownModel(c *latency.Catalogue, written string) (name string, weights v1alpha1.Precision) {
	if name := inCatalogue(c, written); name != "" {
		return name, ""
	}
	for _, format := range numberFormats() {
		if base := format.ending().ReplaceAllString(written, ""); base != written {
			if name := inCatalogue(c, base); name != "" {
				return name, format.weights
			}
		}
	}
	return "", ""
}

func inCatalogue(c *latency.Catalogue, written string) string {
	for _, name := range []string{written, written[strings.LastIndexByte(written, '/')+1:]} {
		if m, ok := c.Model(name); ok {
			return m.Name
		}
	}
	return ""
}

// unknownModel says that a model is not in the catalogue.
func unknownModel(c *latency.Catalogue, from, written string) string {
	if written == "" {
		return from + " does not name the model that it serves"
	}
	why := fmt.Sprintf("%s serves %s, which is not in the catalogue", from, written)
	if near := spelling.Nearest(written, c.ModelNames()); len(near) > 0 {
		why += "; similar: " + strings.Join(near, ", ")
	}
	return why
}

// modelOfURI is the model of a URI of KServe or of a chart; "" where it is a path of a volume.
func modelOfURI(uri string) string {
	scheme, rest, found := strings.Cut(uri, "://")
	switch {
	case !found:
		return uri
	case scheme == "hf":
		name, _, _ := strings.Cut(rest, ":")
		return name
	}
	return ""
}
