// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var preciseUnread = Rule{
	ID: "precise-unread", Severity: Warning,
	Summary: "a precise-prefix-cache-producer that no other plugin reads",
	Why:     "A prefix scorer or filter reads approx-prefix-cache-producer unless its parameter prefixMatchInfoProducerName names another producer. The EPP then follows the engines' KV events for nothing, and guesses what they hold.",
	Fix:     "Set prefixMatchInfoProducerName in the parameters of each plugin that is to read the precise producer.",
	Source:  "llm-d's guides",
	check: func(p *pass) {
		wrapped := slices.ContainsFunc(p.Plugins, func(other *plugin) bool { return other.Type == "precise-prefix-cache-scorer" })
		for _, producer := range p.Plugins {
			if producer.Type != "precise-prefix-cache-producer" || producer.path == nil || wrapped || p.refersTo(producer) {
				continue
			}
			p.report(producer.path, "%s is not read%s; write prefixMatchInfoProducerName: %s in the parameters of the plugin that is to read it", producer.Name, p.otherReaders(), producer.Name)
		}
	},
}

// otherReaders says what a plugin with a parameter for a producer reads instead.
func (v *view) otherReaders() string {
	for _, p := range v.Plugins {
		if name, ok := p.Parameters["prefixMatchInfoProducerName"].(string); ok && p.path != nil && name != "" {
			return ": " + p.Name + " reads " + name
		}
	}
	return ""
}
