// SPDX-License-Identifier: Apache-2.0

package inspect

// Inspection describes a trace. Times are those of the trace, from its first request on.
type Inspection struct {
	SHA256   string `json:"sha256"`
	Requests int    `json:"requests"`
	// SkippedRequests are too long and not among Requests. ClippedRequests are.
	SkippedRequests int `json:"skippedRequests,omitempty"`
	ClippedRequests int `json:"clippedRequests,omitempty"`
	// SkippedZeroOutputRequests have 0 output tokens, or wait for such a request, and are not
	// among Requests. PrefillOnlyRequests had 0, have 1, and are.
	SkippedZeroOutputRequests int `json:"skippedZeroOutputRequests,omitempty"`
	PrefillOnlyRequests       int `json:"prefillOnlyRequests,omitempty"`
	// WaitingRequests wait for the end of another request. They are placed as if each
	// request were answered at once.
	WaitingRequests    int     `json:"waitingRequests,omitempty"`
	MeanDelaySeconds   float64 `json:"meanDelaySeconds,omitempty"`
	SpanSeconds        float64 `json:"spanSeconds"`
	DistinctTimestamps int     `json:"distinctTimestamps"`

	InputTokens  Lengths `json:"inputTokens"`
	OutputTokens Lengths `json:"outputTokens"`
	// LengthCorrelation is Pearson's, of prompts and answers.
	LengthCorrelation float64 `json:"lengthCorrelation"`

	Rates    Rates     `json:"rates"`
	Reuse    *Reuse    `json:"reuse,omitempty"`
	Sessions *Sessions `json:"sessions,omitempty"`
	// Tenants, Classes, Models and Adapters are the names that requests have, the most
	// frequent first; empty where all have the same.
	Tenants  []Share `json:"tenants,omitempty"`
	Classes  []Share `json:"classes,omitempty"`
	Models   []Share `json:"models,omitempty"`
	Adapters []Share `json:"adapters,omitempty"`

	// Findings say what is odd, and what to do about it.
	Findings []Finding `json:"findings"`
}

// Lengths describes lengths in tokens. Quantile q is the least length that at least a share
// q of the lengths do not exceed.
type Lengths struct {
	Mean float64 `json:"mean"`
	Min  int     `json:"min"`
	P50  int     `json:"p50"`
	P90  int     `json:"p90"`
	P99  int     `json:"p99"`
	Max  int     `json:"max"`
	// MostFrequent is the length that most requests have, and MostFrequentShare the share
	// of those.
	MostFrequent      int     `json:"mostFrequent"`
	MostFrequentShare float64 `json:"mostFrequentShare"`
	// CDF is the share of lengths up to each power of two.
	CDF []LengthShare `json:"cdf"`
}

// LengthShare is the share of requests of at most a number of tokens.
type LengthShare struct {
	Tokens int     `json:"tokens"`
	Share  float64 `json:"share"`
}

// Rates says how requests come over time.
type Rates struct {
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	PeakToMean        float64 `json:"peakToMean"`
	// GapCV is the coefficient of variation of the times between arrivals; 1 is that of a
	// Poisson process. GapCVWithinBins is the median of that within bins, from which the
	// slow change of the rate is gone.
	GapCV           float64 `json:"gapCV"`
	GapCVWithinBins float64 `json:"gapCVWithinBins"`
	// Dispersion is the variance of counts over their mean, by the length of the windows;
	// 1 is that of a Poisson process.
	Dispersion []Dispersion `json:"dispersion,omitempty"`
	// RateAndPrompts is Pearson's correlation of a bin's rate and its mean prompt.
	RateAndPrompts float64 `json:"rateAndPromptsCorrelation"`
	BinSeconds     float64 `json:"binSeconds"`
	Bins           []Bin   `json:"bins"`
}

// Dispersion is that of counts in windows of one length.
type Dispersion struct {
	WindowSeconds float64 `json:"windowSeconds"`
	Index         float64 `json:"index"`
}

// Bin is what comes in a part of the time.
type Bin struct {
	FromSeconds           float64 `json:"fromSeconds"`
	Requests              int     `json:"requests"`
	RequestsPerSecond     float64 `json:"requestsPerSecond"`
	InputTokensPerSecond  float64 `json:"inputTokensPerSecond"`
	OutputTokensPerSecond float64 `json:"outputTokensPerSecond"`
	GapCV                 float64 `json:"gapCV"`
}

// Reuse is what one LRU cache in front of all requests serves of their prompts.
type Reuse struct {
	BlockTokens    int   `json:"blockTokens"`
	DistinctBlocks int64 `json:"distinctBlocks"`
	// UnboundedShare is the share of prompt tokens that a cache without bounds serves.
	UnboundedShare float64 `json:"unboundedShare"`
	// Caches are caches of a power of two of blocks each.
	Caches []CacheShare `json:"caches"`
	// SampledShare is the share of the blocks that Caches are estimated from; 1 is exact.
	SampledShare float64 `json:"sampledShare"`
}

// CacheShare is what a cache of a number of blocks serves.
type CacheShare struct {
	Blocks int64   `json:"blocks"`
	Tokens int64   `json:"tokens"`
	Share  float64 `json:"share"`
}

// Sessions describes conversations.
type Sessions struct {
	Sessions       int     `json:"sessions"`
	RequestsShare  float64 `json:"requestsShare"` // of requests that have a session
	MeanTurns      float64 `json:"meanTurns"`
	MostTurns      int     `json:"mostTurns"`
	MeanGapSeconds float64 `json:"meanGapSeconds"` // between the arrivals of turns
}

// Share is how many requests have a name.
type Share struct {
	Name     string  `json:"name"`
	Requests int     `json:"requests"`
	Share    float64 `json:"share"`
}

// Finding is something odd.
type Finding struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}
