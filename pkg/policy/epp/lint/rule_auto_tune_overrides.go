// SPDX-License-Identifier: Apache-2.0

package lint

var autoTuneOverrides = Rule{
	ID: "auto-tune-overrides", Severity: Warning,
	Summary: "blockSizeTokens or lruCapacityPerServer together with autoTune, which is on by default",
	Why:     "With autoTune the index takes block size and capacity from the engines' metrics. The value in the file applies only while an engine reports none.",
	Fix:     "Set autoTune to false, or delete the other parameter.",
	Source:  "the EPP's approximate prefix producer",
	check: func(p *pass) {
		for _, producer := range p.ofType(approxProducer, "prefix-cache-scorer") {
			if !producer.flag("autoTune") {
				continue
			}
			for _, name := range []string{"blockSizeTokens", "blockSize", "lruCapacityPerServer"} {
				if n, ok := given(producer, name); ok && (name == "lruCapacityPerServer" || !p.sinceRouter09() || n >= 64) {
					p.report(producer.parameter(name), "%s: autoTune uses the values that the engines report; %s applies only to engines that report none", producer.Name, name)
				}
			}
		}
	},
}
