// SPDX-License-Identifier: Apache-2.0

package result

// A DecisionRow is one decision of a router as a row of a table: who chose among which
// endpoints by what, and what came of it. Candidates and lists by endpoint are numbered as
// in Endpoints, which are in the order of pools and replicas.
type DecisionRow struct {
	Object         string  `parquet:"object,dict"`
	Seed           int64   `parquet:"seed"`
	Request        int64   `parquet:"request"`
	AtSeconds      float64 `parquet:"at_seconds"`
	ArrivalSeconds float64 `parquet:"arrival_seconds"`
	Model          string  `parquet:"model,dict"`
	Tenant         string  `parquet:"tenant,dict"`
	Class          string  `parquet:"class,dict"`
	PromptTokens   int64   `parquet:"prompt_tokens"`
	Priority       int64   `parquet:"priority"`
	Session        int64   `parquet:"session"`
	Adapter        string  `parquet:"adapter,dict"`
	EPP            int32   `parquet:"epp"`
	// Endpoint decodes, and Prefill computes the prompt before; null without one.
	Endpoint *string `parquet:"endpoint,dict"`
	Prefill  *string `parquet:"prefill,dict"`
	// Rejected and Error say why the request came to no engine; empty where it did.
	Rejected string `parquet:"rejected,dict"`
	Error    string `parquet:"error,dict"`

	Endpoints []DecisionEndpoint `parquet:"endpoints,list"`
	Prefixes  []DecisionPrefix   `parquet:"prefixes,list"`
	InFlight  []DecisionInFlight `parquet:"in_flight,list"`
	Profiles  []DecisionProfile  `parquet:"profiles,list"`

	DecisionEnd
}

// DecisionEndpoint is what the metrics said of an endpoint.
type DecisionEndpoint struct {
	Down             bool     `parquet:"down"`
	Waiting          int32    `parquet:"waiting"`
	Running          int32    `parquet:"running"`
	KVUsage          float64  `parquet:"kv_usage"`
	ScrapeAgeSeconds *float64 `parquet:"scrape_age_seconds"`
}

// DecisionPrefix is how many blocks of the prompt each endpoint was believed to hold.
type DecisionPrefix struct {
	Name        string  `parquet:"name,dict"`
	BlockTokens int32   `parquet:"block_tokens"`
	TotalBlocks int32   `parquet:"total_blocks"`
	Blocks      []int64 `parquet:"blocks,list"`
}

// DecisionInFlight is what a router counted on each endpoint.
type DecisionInFlight struct {
	Name     string  `parquet:"name,dict"`
	Requests []int64 `parquet:"requests,list"`
}

// DecisionProfile is how one profile chose: Scores are by candidate.
type DecisionProfile struct {
	Profile    string           `parquet:"profile,dict"`
	Candidates []int64          `parquet:"candidates,list"`
	Scores     []float64        `parquet:"scores,list"`
	Scorers    []DecisionScorer `parquet:"scorers,list"`
	Chosen     *int64           `parquet:"chosen"`
	Tied       int32            `parquet:"tied"`
	ByChance   bool             `parquet:"by_chance"`
}

// DecisionScorer is what one scorer gave each candidate.
type DecisionScorer struct {
	Name   string    `parquet:"name,dict"`
	Weight float64   `parquet:"weight"`
	Raw    []float64 `parquet:"raw,list"`
}

// DecisionEnd is what came of a decision; what is not known is null.
type DecisionEnd struct {
	Ended          string   `parquet:"ended,dict"`
	TTFTSeconds    *float64 `parquet:"ttft_seconds"`
	TPOTSeconds    *float64 `parquet:"tpot_seconds"`
	E2ESeconds     *float64 `parquet:"e2e_seconds"`
	OutputTokens   *int64   `parquet:"output_tokens"`
	ExpectedTokens *int64   `parquet:"expected_tokens"`
	CacheHit       *bool    `parquet:"cache_hit"`
	CacheTier      string   `parquet:"cache_tier,dict"`
	GPUTokens      int64    `parquet:"gpu_tokens"`
	CPUTokens      int64    `parquet:"cpu_tokens"`
	StorageTokens  int64    `parquet:"storage_tokens"`
	RemoteTokens   int64    `parquet:"remote_tokens"`
}
