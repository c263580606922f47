// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds of a configuration for who loads those of many people. The EPP has none; the
// largest that we know has 34 plugins.
const (
	maxPlugins  = 256
	maxProfiles = 64
	// maxValues bounds all values of a document, aliases of YAML followed: a few
	// lines of those can stand for millions.
	maxValues = 20_000
)

// CheckSize refuses a configuration that is too large to load together with those of other users.
// It takes little more than the time to parse the text, and passes one that is no
// YAML: [Load] says what is wrong with that.
func CheckSize(text []byte, path *field.Path) field.ErrorList {
	root, err := parseDocument(text)
	if err != nil || root == nil {
		return nil
	}
	if n := values(root, maxValues+1); n > maxValues {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("has more than %d values, aliases counted as what they stand for", maxValues))}
	}
	var errs field.ErrorList
	for _, list := range []struct {
		name string
		most int
	}{{"plugins", maxPlugins}, {"schedulingProfiles", maxProfiles}} {
		if n := resolved(childOf(root, list.name)); n != nil && n.Kind == yamlv3.SequenceNode && len(n.Content) > list.most {
			errs = append(errs, field.TooMany(path.Child(list.name), len(n.Content), list.most))
		}
	}
	return errs
}

// values counts the values of a document, up to a maximum.
func values(n *yamlv3.Node, most int) int {
	count := 1
	for _, child := range resolved(n).Content {
		if count >= most {
			break
		}
		count += values(child, most-count)
	}
	return count
}

// resolved is what an alias stands for.
func resolved(n *yamlv3.Node) *yamlv3.Node {
	for n != nil && n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	return n
}
