// SPDX-License-Identifier: Apache-2.0

package lint

var indexOverRemembers = Rule{
	ID: "index-over-remembers", Severity: Info,
	Summary: "an approximate index that remembers more than the engines hold",
	Why:     "With autoTune the index holds as many blocks as an engine, but its blocks have at least 64 tokens. The index therefore still lists prefixes that engines with smaller blocks have evicted; engines do not report evictions to it.",
	Fix:     "Set autoTune to false and lruCapacityPerServer to the engine's tokens divided by 64, or use precise-prefix-cache-producer.",
	Source:  "the EPP's approximate prefix producer",
	Context: Context{BlockTokens: 16},
	check: func(p *pass) {
		block := p.context.BlockTokens
		if block <= 0 || block >= 64 || !p.sinceRouter09() {
			return
		}
		for _, producer := range p.ofType(approxProducer) {
			if producer.flag("autoTune") {
				p.report(producer.path, "%s remembers %.3g times what an engine with blocks of %d tokens holds", producer.Name, 64/float64(block), block)
			}
		}
	},
}
