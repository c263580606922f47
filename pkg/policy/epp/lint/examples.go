// SPDX-License-Identifier: Apache-2.0

package lint

import "embed"

// examples has a folder for each rule, of its ID, with a configuration that the rule finds
// (bad.yaml) and its correction (good.yaml). A configuration may leave out apiVersion and
// kind.
//
//go:embed examples
var examples embed.FS

// BadExample is a configuration that the rule finds. It is empty for a rule without examples.
func (r *Rule) BadExample() string { return r.example("bad.yaml") }

// GoodExample is the bad example as it should be. It is empty for a rule without examples.
func (r *Rule) GoodExample() string { return r.example("good.yaml") }

func (r *Rule) example(file string) string {
	text, err := examples.ReadFile("examples/" + r.ID + "/" + file)
	if err != nil {
		return ""
	}
	return string(text)
}
