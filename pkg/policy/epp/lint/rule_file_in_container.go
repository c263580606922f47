// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var fileInContainer = Rule{
	ID: "file-in-container", Severity: Info,
	Summary: "a certificate, a list of endpoints or a socket that the EPP looks for in its own container",
	Why:     "The configuration has only the path. If nothing is mounted there, the EPP does not start: its pod crash-loops. The linter does not read the Deployment.",
	Fix:     "Check the volumeMounts of the EPP's container.",
	Source:  "llm-d-router's data sources, file discovery and tokenizers",
	check: func(p *pass) {
		for _, plugin := range p.Plugins {
			for _, f := range filesOf(plugin) {
				p.report(f.at, "%s opens %s in the EPP's container: %s", plugin.Name, f.name, f.mount())
			}
		}
	},
}

// A neededFile is one that a plugin opens.
type neededFile struct {
	at         *field.Path
	name, from string // from is the volume that has it
}

// filesOf are the files that the parameters of a plugin name, as far as the version
// reads them.
func filesOf(p *plugin) []neededFile {
	var files []neededFile
	add := func(of *plugin, name, from string, parents ...string) {
		if file := of.stringValue(name); file != "" && of.isSet(name) {
			files = append(files, neededFile{at: p.parameter(append(parents, name)...), name: file, from: from})
		}
	}
	switch strings.TrimPrefix(p.Type, "multicluster-") {
	case "metrics-data-source", "models-data-source":
		add(p, "caCertPath", "a ConfigMap or Secret with the CA's certificate")
		add(p, "clientCertPath", "a Secret with the client's certificate")
		add(p, "clientKeyPath", "a Secret with the client's key")
	case "file-discovery":
		add(p, "path", "a ConfigMap with the list of endpoints")
	case tokenProducer, "tokenizer":
		if uds := p.object("udsTokenizerConfig"); !uds.flag("useTCP") {
			add(uds, "socketFile", tokenizerVolume, "udsTokenizerConfig")
		}
	case "precise-prefix-cache-scorer":
		if uds := p.object("indexerConfig").object("tokenizersPoolConfig").object("uds"); !uds.flag("useTCP") {
			add(uds, "socketFile", tokenizerVolume, "indexerConfig", "tokenizersPoolConfig", "uds")
		}
	}
	return files
}

const tokenizerVolume = "an emptyDir that the tokenizer's container shares"

// mount says what to mount where.
func (f *neededFile) mount() string {
	if !path.IsAbs(f.name) {
		return fmt.Sprintf("write an absolute path, and mount %s at its folder", f.from)
	}
	return fmt.Sprintf("mount %s at %s", f.from, path.Dir(f.name))
}
