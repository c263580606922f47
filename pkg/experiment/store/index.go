// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// IndexSchemaVersion names the layout of an Index.
const IndexSchemaVersion = "windtunnel.dev/index/v1"

// Keys of ConfigMaps that list chunks.
const (
	// IndexKey holds an Index.
	IndexKey = "index.json"
	// ListKey holds what a shard wrote: references to its chunks, in order.
	ListKey = "chunks.json"
	// ProposalsKey holds answers of a service that proposes policies, compressed.
	ProposalsKey = "proposals.json.gz"
)

// Reference names a ConfigMap that holds or lists results, and what it must
// contain.
type Reference struct {
	Name string `json:"name"`
	// Rows is the number of result rows.
	Rows int `json:"rows"`
	// SHA256 is the digest of the content, in hex.
	SHA256 string `json:"sha256"`
	// Reused says that the rows were simulated for something else.
	Reused bool `json:"reused,omitempty"`
}

// Index lists where the rows of an object's results are. It is what a status
// names, by a digest of it.
type Index struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Plan is the hash of the plan that the rows are of.
	Plan string `json:"plan"`
	// Chunks hold the rows: each of a simulation of the plan, and each once.
	Chunks []Reference `json:"chunks,omitempty"`
	// Reserve are chunks of former plans that may still serve while this one is
	// not done.
	Reserve []Reference `json:"reserve,omitempty"`
	// Lost are simulations that were given up: the plan went on without their rows.
	Lost []Lost `json:"lost,omitempty"`
	// Journal are the answers of a service that proposes policies, a reference for each
	// round that had some, in their order. Rows counts answers there.
	Journal []Reference `json:"journal,omitempty"`
}

// Lost are simulations that were given up.
type Lost struct {
	// Round is the index of their round, and Spans their numbers in it.
	Round int               `json:"round"`
	Spans []experiment.Span `json:"spans"`
	// Shards is how many shards of which Job had them.
	Shards int    `json:"shards"`
	Job    string `json:"job"`
	// Why says in words why they failed.
	Why string `json:"why"`
	// Execution identifies how they were run: under another way they are tried
	// again.
	Execution string `json:"execution,omitempty"`
}

// Rows is the number of rows in the chunks.
func (x *Index) Rows() int {
	rows := 0
	for _, ref := range x.Chunks {
		rows += ref.Rows
	}
	return rows
}

// Encode returns the index as JSON: equal indexes, equal bytes.
func (x *Index) Encode() []byte {
	raw, err := json.Marshal(x)
	if err != nil {
		panic(fmt.Sprintf("experiment: encode index: %v", err))
	}
	return raw
}

// DecodeIndex reads what Encode wrote.
func DecodeIndex(raw []byte) (*Index, error) {
	var x Index
	if err := json.Unmarshal(raw, &x); err != nil {
		return nil, fmt.Errorf("decode index: %w", err)
	}
	if x.SchemaVersion != IndexSchemaVersion {
		return nil, fmt.Errorf("decode index: schema version %q, this binary reads %q", x.SchemaVersion, IndexSchemaVersion)
	}
	return &x, nil
}

// EncodeList returns references as JSON, and DecodeList reads them.
func EncodeList(references []Reference) []byte {
	raw, err := json.Marshal(references)
	if err != nil {
		panic(fmt.Sprintf("experiment: encode list: %v", err))
	}
	return raw
}

// DecodeList reads what EncodeList wrote.
func DecodeList(raw []byte) ([]Reference, error) {
	var references []Reference
	if err := json.Unmarshal(raw, &references); err != nil {
		return nil, fmt.Errorf("decode list: %w", err)
	}
	return references, nil
}
