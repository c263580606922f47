// SPDX-License-Identifier: Apache-2.0

package result

// RequestRow is one request of a simulation, as a row of a Parquet file. The names
// of columns have their units; a cell is null where nothing was measured.
type RequestRow struct {
	// Object, Point and Seed name the simulation, Request the request in it, from 0
	// in order of arrival.
	Object  string `parquet:"object,dict"`
	Point   int64  `parquet:"point"`
	Seed    int64  `parquet:"seed"`
	Request int64  `parquet:"request"`
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
	// Outcome is completed, rejected, failed or unfinished, Reason why the request
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
