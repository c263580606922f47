// SPDX-License-Identifier: Apache-2.0

package native

import "testing"

func TestFaultsOfASpec(t *testing.T) {
	queue := []Scorer{{Name: "queue-depth", Weight: 1}}
	with := func(parameters map[string]string) Spec {
		return Spec{Policy: "weighted", Scorers: []Scorer{{Name: "prefix-affinity", Weight: 1, Parameters: parameters}}}
	}
	of := func(policy, parameter, value string) Spec {
		return Spec{Policy: policy, Parameters: map[string]string{parameter: value}}
	}
	for name, tc := range map[string]struct {
		spec Spec
		want string
	}{
		"nothing":              {Spec{}, `routing.policy: Required value: must be one of weighted, round-robin, random, least-loaded, always-busiest, power-of-two, prefix-affinity, two-stage, consistent-hashing, sglang-cache-aware, production-stack-prefix-aware, aibrix-prefix-cache`},
		"a policy misspelt":    {Spec{Policy: "round-robbin"}, `routing.policy: Invalid value: "round-robbin": unknown policy; there are weighted, round-robin, random, least-loaded, always-busiest, power-of-two, prefix-affinity, two-stage, consistent-hashing, sglang-cache-aware, production-stack-prefix-aware, aibrix-prefix-cache; did you mean "round-robin"?`},
		"no scorer":            {Spec{Policy: "weighted"}, `routing.scorers: Required value: must be at least one scorer`},
		"a mode":               {Spec{Policy: "weighted", Mode: "sum", Scorers: queue}, `routing.mode: Unsupported value: "sum": supported values: "epp", "normalised"`},
		"a way with ties":      {Spec{Policy: "random", TieBreak: "last"}, `routing.tieBreak: Unsupported value: "last": supported values: "random", "first", "rotate"`},
		"scorers of none":      {Spec{Policy: "random", Scorers: queue}, `routing.scorers: Forbidden: only a weighted policy has scorers`},
		"a mode of none":       {Spec{Policy: "random", Mode: ModeEPP}, `routing.mode: Forbidden: only a weighted policy has a mode`},
		"twice, as it is":      {Spec{Policy: "weighted", Scorers: append(queue, queue...)}, ``},
		"twice, normalised":    {Spec{Policy: "weighted", Mode: ModeNormalised, Scorers: append(queue, queue...)}, `routing.scorers[1].name: Duplicate value: "queue-depth"`},
		"a number":             {with(map[string]string{"blockTokens": "0"}), `routing.scorers[0].parameters[blockTokens]: Invalid value: "0": must be a whole number of at least 1`},
		"a word":               {with(map[string]string{"match": "lose"}), `routing.scorers[0].parameters[match]: Unsupported value: "lose": supported values: "strict", "loose"`},
		"a parameter misspelt": {with(map[string]string{"blockToken": "16"}), `routing.scorers[0].parameters[blockToken]: Invalid value: "blockToken": unknown parameter; there are blockTokens, blocksPerEndpoint, match; did you mean "blockTokens"?`},
		"no parameters at all": {Spec{Policy: "weighted", Scorers: []Scorer{{Name: "queue-depth", Parameters: map[string]string{"x": "1"}}}}, `routing.scorers[0].parameters[x]: Forbidden: there are no parameters`},
		"of another policy":    {of("two-stage", "choices", "2"), `routing.parameters[choices]: Invalid value: "choices": unknown parameter; there are blockTokens, blocksPerEndpoint, kvThreshold, load, queueThreshold`},
		"of none":              {of("round-robin", "load", "queue"), `routing.parameters[load]: Forbidden: there are no parameters`},
		"of another key":       {of("consistent-hashing", "prefixTokens", "64"), `routing.parameters[prefixTokens]: Forbidden: may be set only with the key prefix`},
		"too many points":      {of("consistent-hashing", "virtualNodes", "10001"), `routing.parameters[virtualNodes]: Invalid value: "10001": must be a whole number from 1 to 10000`},
		"no factor":            {of("consistent-hashing", "loadFactor", "0.99"), `routing.parameters[loadFactor]: Invalid value: "0.99": must be a number from 1 to 1000000`},
		"no share":             {of("sglang-cache-aware", "cacheThreshold", "30%"), `routing.parameters[cacheThreshold]: Invalid value: "30%": must be a number from 0 to 1`},
		"not a number":         {of("two-stage", "kvThreshold", "NaN"), `routing.parameters[kvThreshold]: Invalid value: "NaN": must be a number from 0 to 1`},
		"less than nothing":    {of("aibrix-prefix-cache", "imbalance", "-1"), `routing.parameters[imbalance]: Invalid value: "-1": must be a whole number of at least 0`},
		"two faults":           {Spec{Policy: "power-of-two", Parameters: map[string]string{"choices": "0", "load": "both"}}, `routing.parameters[choices]: Invalid value: "0": must be a whole number of at least 1` + `routing.parameters[load]: Unsupported value: "both": supported values: "own-count", "queue"`},
		"a time":               {Spec{Policy: "weighted", Scorers: []Scorer{{Name: "no-hit-lru", Parameters: map[string]string{"delay": "50"}}}}, `routing.scorers[0].parameters[delay]: Invalid value: "50": must be a duration such as 50ms`},
	} {
		t.Run(name, func(t *testing.T) { same(t, name, tc.want, errorOf(tc.spec)) })
	}
}
