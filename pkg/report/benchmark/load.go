// SPDX-License-Identifier: Apache-2.0

package benchmark

// Load is the traffic.
type Load struct {
	Metadata     LoadMetadata     `json:"metadata"`
	Standardized LoadStandardized `json:"standardized"`
	Native       Native           `json:"native"`
}

// LoadMetadata names a load. CfgID is a hash of its configuration.
type LoadMetadata struct {
	SchemaVersion string `json:"schema_version,omitempty"`
	CfgID         string `json:"cfg_id,omitempty"`
	Description   string `json:"description,omitempty"`
}

// LoadStandardized is the traffic in the words that all load generators share.
type LoadStandardized struct {
	Tool         string          `json:"tool"`
	ToolVersion  string          `json:"tool_version"`
	Parallelism  *int64          `json:"parallelism,omitempty" min:"1"`
	Source       string          `json:"source" enum:"random,sampled,unknown"`
	Stage        *int64          `json:"stage,omitempty" min:"0"`
	InputSeqLen  SequenceLength  `json:"input_seq_len"`
	OutputSeqLen *SequenceLength `json:"output_seq_len,omitempty"`
	Prefix       *LoadPrefix     `json:"prefix,omitempty"`
	MultiTurn    *MultiTurn      `json:"multi_turn,omitempty"`
	RateQPS      *float64        `json:"rate_qps,omitempty" over:"0"`
	// Concurrency is a whole number, or infinity where there is no limit.
	Concurrency *float64 `json:"concurrency,omitempty" min:"1" infinity:"allowed"`
}

// The laws of lengths.
const (
	Fixed    = "fixed"
	Gaussian = "gaussian"
	Uniform  = "uniform"
	Other    = "other"
)

// SequenceLength is a law of lengths in tokens. Value is the length, or the mean.
type SequenceLength struct {
	Distribution string   `json:"distribution" enum:"fixed,gaussian,uniform,other"`
	Value        float64  `json:"value" min:"0"`
	StdDev       *float64 `json:"std_dev,omitempty" min:"0"`
	Min          *int64   `json:"min,omitempty" min:"0"`
	Max          *int64   `json:"max,omitempty" min:"1"`
}

// LoadPrefix says which beginnings prompts share.
type LoadPrefix struct {
	PrefixLen        SequenceLength `json:"prefix_len"`
	NumGroups        int64          `json:"num_groups" min:"1"`
	NumUsersPerGroup int64          `json:"num_users_per_group" min:"1"`
	NumPrefixes      int64          `json:"num_prefixes" min:"1"`
}

// MultiTurn says whether requests belong to conversations.
type MultiTurn struct {
	Enabled  bool            `json:"enabled"`
	MaxTurns *SequenceLength `json:"max_turns,omitempty"`
}
