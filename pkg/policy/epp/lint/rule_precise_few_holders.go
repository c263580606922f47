// SPDX-License-Identifier: Apache-2.0

package lint

import "fmt"

var preciseFewHolders = Rule{
	ID: "precise-few-holders", Severity: Warning,
	Summary: "a precise index that keeps fewer holders of a block than there are endpoints",
	Why:     "The index in memory keeps the last podCacheSize entries of each block, 10 unless set, and each tier of each endpoint is an entry. Of a prefix that more endpoints hold, the index forgets the others, which then score as if they were cold.",
	Fix:     "Set indexerConfig.kvBlockIndexConfig.inMemoryConfig.podCacheSize to the number of endpoints times their tiers, or more.",
	Source:  "llm-d-kv-cache",
	Context: Context{Endpoints: 12, Tiers: 2},
	check: func(p *pass) {
		holders := fmt.Sprintf("%d endpoints may hold it", p.context.Endpoints)
		if p.context.Tiers > 1 {
			holders += fmt.Sprintf(" in %d tiers each", p.context.Tiers)
		}
		need := p.context.Endpoints * max(p.context.Tiers, 1)
		for _, producer := range p.ofType(preciseProducer, preciseScorer) {
			index := producer.object("indexerConfig").object("kvBlockIndexConfig")
			keeps := 10.0
			if n, ok := index.object("inMemoryConfig").number("podCacheSize"); ok && n > 0 {
				keeps = n
			}
			if inMemory := !index.isSet("costAwareMemoryConfig") && !index.isSet("redisConfig"); inMemory && need > int(keeps) {
				p.report(producer.parameter("indexerConfig", "kvBlockIndexConfig", "inMemoryConfig", "podCacheSize"),
					"%s keeps %v holders of a block, and %s: of a prefix that all share it forgets the others", producer.Name, keeps, holders)
			}
		}
	},
}
