// SPDX-License-Identifier: Apache-2.0

// Package readme lists the claims in the two tables of docs/accuracy.md and the tests
// that check each claim. Its test compares each number in the second column with the page
// or the test data that the number comes from.
package readme

// Claim is one row of the tables of docs/accuracy.md.
type Claim struct {
	// Row is how the row's first cell begins.
	Row string
	// Tests check the claim, each as its package below the module, a dot and its
	// name. Where one of them is skipped the claim is not checked.
	Tests []string
	// Page is the file that the row's figures come from, and Places find them
	// there: regular expressions with a group for each figure, in the order of the
	// row. The figures of claims without a page are computed by the test.
	Page   string
	Places []string
}

// Claims are in the order of the page.
var Claims = []Claim{
	{
		Row:   "dense models: 43 measured loads",
		Tests: []string{"pkg/calibrate.TestPointsArePredicted", "pkg/calibrate.TestValidationDocument"},
		Page:  "docs/validation.md",
		Places: []string{
			`\| nothing \| ([\d.]+) / ([\d.]+) \|`,
			`in FP8, TP 4 \| no \| \d+ \| TPOT \| [\d.]+ \| [\d.]+ \| ([\d.]+) `,
			`in FP8, TP 4 \| no \| \d+ \| TTFT \| [\d.]+ \| [\d.]+ \| ([\d.]+) `,
		},
	},
	{
		Row:   "experts: 47 measured loads",
		Tests: []string{"pkg/calibrate.TestPointsArePredicted", "pkg/calibrate.TestValidationDocument"},
		Page:  "docs/validation.md",
		Places: []string{
			`\| nothing \| [^|]+ \| ([\d.]+) / ([\d.]+) \|`,
			`gpt-oss-120b, TP 4 \| no \| \d+ \| TPOT \| [\d.]+ \| [\d.]+ \| ([\d.]+) `,
			`gpt-oss-120b, TP 4 \| no \| \d+ \| TTFT \| [\d.]+ \| [\d.]+ \| ([\d.]+) `,
		},
	},
	{
		Row:   "light loads of vLLM 0.15",
		Tests: []string{"pkg/calibrate.TestPointsArePredicted", "pkg/calibrate.TestValidationDocument"},
		Page:  "docs/validation.md",
		Places: []string{
			`Mixtral-8x7B, TP 2 \| no \| \d+ \| E2E \| [\d.]+ \| ([\d.]+) `,
			`Qwen3-14B, TP 1 \| no \| \d+ \| E2E \| [\d.]+ \| ([\d.]+) `,
			`Llama-3.1-8B, TP 1 \| no \| \d+ \| E2E \| [\d.]+ \| ([\d.]+) `,
			`Mixtral-8x7B, TP 2 \| no \| \d+ \| TTFT \| [\d.]+ \| ([\d.]+) `,
			`Qwen3-14B, TP 1 \| no \| \d+ \| TTFT \| [\d.]+ \| ([\d.]+) `,
			`Llama-3.1-8B, TP 1 \| yes \| \d+ \| TTFT \| [\d.]+ \| ([\d.]+) `,
		},
	},
	{
		Row:   "vLLM 0.19 with Llama-3.1-8B",
		Tests: []string{"pkg/calibrate.TestMeasuredRunsArePredicted", "pkg/calibrate.TestValidationDocument"},
	},
	{
		Row:   "fitted on one of these two GPUs",
		Tests: []string{"pkg/calibrate.TestMeasuredRunsArePredicted", "pkg/calibrate.TestValidationDocument"},
	},
	{
		Row:   "verdicts of the EPP's real loaders",
		Tests: []string{"pkg/policy/epp.TestLoadersOfAllVersions", "pkg/policy/epp.TestLoadersOfAllVersionsOnPublishedFiles", "pkg/policy/epp.TestMutantsOfAllKinds"},
	},
	{
		Row:   "recorded decisions of the real EPP",
		Tests: []string{"pkg/policy/epp.TestConformanceOfDecisions", "pkg/policy/epp.TestConformanceOfPrefixes"},
	},
	{
		Row:   "50 000 requests to 16 replicas",
		Tests: []string{"studies/bench.TestTheCommittedPageIsTheTemplates"},
		Page:  "docs/performance.md",
		Places: []string{
			`\| R\(50000,16\) \| [\d ]+ \| [\d.]+ s \| ([\d.]+) s \|`,
			`engine version (\d+)`,
		},
	},
	{
		Row:   "the same seed and scenario",
		Tests: []string{"pkg/simulator/simulation.TestSameConfigSameOutcome", "pkg/experiment.TestRowsDoNotDependOnShards"},
	},
	{
		Row:   "[prefill and decode apart]",
		Tests: []string{"studies/splitwise.TestCodeGainsByWhatConversationLosesBy"},
		Page:  "docs/studies/disaggregation.md",
		Places: []string{
			`\*\*Code\*\*: splitting wins, with ([\d.]+) times`,
			`\*\*Conversation\*\*: splitting wins, with ([\d.]+) times`,
		},
	},
	{
		Row:   "[KV tiers]",
		Tests: []string{"studies/tiers.TestFindings"},
		Page:  "docs/studies/tiers.md",
		Places: []string{
			`\| 512 \| 32 GiB \| [\d.]+ \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|`,
			`\| 512 \| 32 GiB \| ([\d.]+) \|`,
			`A cache without bounds that holds full blocks serves \*\*([\d.]+) %\*\*`,
		},
	},
	{
		Row:    "[a published benchmark]",
		Tests:  []string{"studies/capacity.TestASampleThatIsNotWhatWasPublishedIsRefused"},
		Page:   "docs/studies/capacity.md",
		Places: []string{`Precise ÷ random is ([\d.]+); ([\d.]+) was published`},
	},
	{
		Row:   "[a stability controller]",
		Tests: []string{"studies/stability.TestStabilityContest"},
		Page:  "docs/studies/stability.md",
		Places: []string{
			`kept (\d+) % of long answers within their targets\s+instead of (\d+) %`,
			`of conversations, for (\d+) % and`,
		},
	},
	{
		Row:   "[which search finds a good policy first]",
		Tests: []string{"studies/search.TestTheGridIsOfTheSamplesParameters"},
		Page:  "docs/studies/search.md",
		Places: []string{
			`space with (\d+) points`,
			`fidelity Seeds \| \d+ \| ([\d.]+) \|`,
			`fidelity Requests \| \d+ \| ([\d.]+) \|`,
		},
	},
	{
		Row:    "[how much a warm prefix may weigh]",
		Tests:  []string{"studies/affinity.TestSearchesFindTheBound"},
		Page:   "docs/studies/affinity.md",
		Places: []string{`lie within ([\d.]+) % of`},
	},
}
