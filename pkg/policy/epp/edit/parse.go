// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"bytes"

	yamlv3 "go.yaml.in/yaml/v3"
)

// Parse returns the root of a text, or nil where it is no YAML or empty.
func Parse(text []byte) *yamlv3.Node {
	var document yamlv3.Node
	if yamlv3.Unmarshal(text, &document) != nil {
		// Tabs are legal in JSON; where they are blanks, columns stay the same.
		document = yamlv3.Node{}
		if yamlv3.Unmarshal(bytes.ReplaceAll(text, []byte("\t"), []byte(" ")), &document) != nil {
			return nil
		}
	}
	if len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	if root.Kind == yamlv3.AliasNode {
		return root.Alias
	}
	return root
}
