// SPDX-License-Identifier: Apache-2.0

package result

// Identity names a request under a seed. Policies change when a request arrives, and so its
// number. They do not change who sends it and what it asks.
type Identity struct {
	// Source is the name of the client, of its copy, or of the trace.
	Source string `parquet:"source,dict" json:"source"`
	// Session numbers the conversations of the source from 1; 0 is none. Turn numbers the
	// turns of a client's conversation from 1.
	Session int64 `parquet:"session" json:"session"`
	Turn    int64 `parquet:"turn" json:"turn"`
	// Step numbers the requests of a client's conversation from 1, those of a client without
	// conversations, or the rows of a trace.
	Step int64 `parquet:"step" json:"step"`
	// Attempt is 0 for the first attempt, and then the number of the retry.
	Attempt int64 `parquet:"attempt" json:"attempt"`
}

// RequestRow is one request of a simulation, as a row of a Parquet file. The names
// of columns have their units; a cell is null where nothing was measured.
type RequestRow struct {
	// Object, Point and Seed name the simulation, Request the request in it, from 0
	// in order of arrival.
	Object  string `parquet:"object,dict"`
	Point   int64  `parquet:"point"`
	Seed    int64  `parquet:"seed"`
	Request int64  `parquet:"request"`
	Identity
	// FirstRequest is the Request of the first attempt of a retry.
	FirstRequest *int64 `parquet:"first_request"`
	// ArrivalSeconds is from the start of the run. Measured is false of requests
	// of the warm-up, which are in no figure of a table.
	ArrivalSeconds float64 `parquet:"arrival_seconds"`
	Measured       bool    `parquet:"measured"`
	Class          string  `parquet:"class,dict"`
	Tenant         string  `parquet:"tenant,dict"`
	// Model is null where the scenario has one router.
	Model *string `parquet:"model,dict"`
	// Pool and Replica are null where none took the request.
	Pool    *string `parquet:"pool,dict"`
	Replica *string `parquet:"replica,dict"`
	// Outcome is completed, rejected, timed out, failed or unfinished, Reason why the request
	// was rejected, such as shed.
	Outcome string  `parquet:"outcome,dict"`
	Reason  *string `parquet:"reason,dict"`
	// TTFTSeconds is of requests that got a token, TPOTSeconds of completed ones
	// with two tokens or more, E2ESeconds of completed ones.
	TTFTSeconds *float64 `parquet:"ttft_seconds"`
	TPOTSeconds *float64 `parquet:"tpot_seconds"`
	E2ESeconds  *float64 `parquet:"e2e_seconds"`
	// PromptTokens = GPUTokens + CPUTokens + StorageTokens + ComputedTokens where
	// the request was scheduled: found in the KV cache of the replica that computes
	// the prompt, in the tiers below it, and computed. OutputTokens are of
	// completed requests. RemoteTokens are those of the prompt that were handed
	// over to the replica that decodes; they count in the others too.
	PromptTokens   int64  `parquet:"prompt_tokens"`
	OutputTokens   *int64 `parquet:"output_tokens"`
	GPUTokens      *int64 `parquet:"gpu_tokens"`
	CPUTokens      *int64 `parquet:"cpu_tokens"`
	StorageTokens  *int64 `parquet:"storage_tokens"`
	ComputedTokens *int64 `parquet:"computed_tokens"`
	RemoteTokens   *int64 `parquet:"remote_tokens"`
}
