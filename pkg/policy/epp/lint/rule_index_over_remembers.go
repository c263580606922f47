// SPDX-License-Identifier: Apache-2.0

package lint

var indexOverRemembers = Rule{
	ID: "index-over-remembers", Severity: Info,
	Summary: "an approximate index that remembers more than the engines hold",
	Why:     "With autoTune the index keeps as many blocks as an engine has, but its own blocks are 64 tokens at least. Engines with smaller blocks have evicted what the index still believes in, and it is never told.",
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
