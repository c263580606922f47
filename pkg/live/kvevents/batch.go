// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"bytes"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// Format is how an event is encoded.
type Format uint8

const (
	// Arrays has the tag and the fields in their order: vLLM up to 0.23.
	Arrays Format = iota
	// Maps has fields by their names, and the tag under "type": vLLM from 0.24 (#42892).
	Maps
)

// Events have their fields in vLLM's order, the tag first.
type (
	blockStored struct {
		Type      string   `msgpack:"type"`
		Hashes    []uint64 `msgpack:"block_hashes"`
		Parent    *uint64  `msgpack:"parent_block_hash"` // nil where there is no block before the first one
		TokenIDs  []uint32 `msgpack:"token_ids"`
		BlockSize int      `msgpack:"block_size"`
		LoRAID    *int     `msgpack:"lora_id"`
		Medium    string   `msgpack:"medium"`
		LoRAName  *string  `msgpack:"lora_name"`
	}
	blockRemoved struct {
		Type   string   `msgpack:"type"`
		Hashes []uint64 `msgpack:"block_hashes"`
		Medium string   `msgpack:"medium"`
	}
	allBlocksCleared struct {
		Type string `msgpack:"type"`
	}
)

// media are the names of the tiers.
var media = [policy.CacheTiers]string{policy.GPUMemory: "GPU", policy.CPUMemory: "CPU", policy.Storage: "STORAGE"}

// stored is consecutive blocks of a text that come into a tier.
type stored struct {
	blockStored
	tier    policy.CacheTier
	adapter string
	// last is the hash of the last block as the replicas have it.
	last uint64
}

// batch makes vLLM's events of those of one replica.
type batch struct {
	events []any
	open   *stored
	writer *writer
}

// writer makes the payloads of one replica.
type writer struct {
	format      Format
	blockTokens int
	chain       *chain
	// adapters are numbered from 1 in the order in which blocks of theirs are stored.
	adapters map[string]int
}

func newWriter(format Format, blockTokens int) *writer {
	return &writer{format: format, blockTokens: blockTokens, chain: newChain(), adapters: map[string]int{}}
}

// payload is a batch of events at a time of the wall clock, as vLLM encodes it. An error says that the events
// contradict those before.
func (w *writer) payload(events []replicas.BlockEvent, at time.Time) ([]byte, error) {
	b := batch{writer: w}
	for _, e := range events {
		if err := b.add(e); err != nil {
			return nil, err
		}
	}
	b.close()
	return b.encode(at)
}

func (b *batch) add(e replicas.BlockEvent) error {
	switch e.Kind {
	case replicas.BlockStored:
		return b.store(e)
	case replicas.BlockRemoved:
		b.close()
		hash, err := b.writer.chain.remove(e)
		b.events = append(b.events, blockRemoved{"BlockRemoved", []uint64{hash.integer()}, media[e.Tier]})
		return err
	case replicas.BlocksCleared:
		b.close()
		b.writer.chain.clear()
		b.events = append(b.events, allBlocksCleared{"AllBlocksCleared"})
	}
	return nil
}

// store adds a block to the event before it if it is the next one of the same text.
func (b *batch) store(e replicas.BlockEvent) error {
	own, parent, err := b.writer.chain.store(e)
	if err != nil {
		return err
	}
	if s := b.open; s == nil || s.last != e.Parent || s.tier != e.Tier || s.adapter != e.Adapter {
		b.close()
		b.open = &stored{tier: e.Tier, adapter: e.Adapter, blockStored: blockStored{
			Type: "BlockStored", TokenIDs: []uint32{}, BlockSize: b.writer.blockTokens, Medium: media[e.Tier],
		}}
		if e.Adapter != "" {
			b.open.LoRAID, b.open.LoRAName = new(b.writer.adapter(e.Adapter)), &e.Adapter
		}
		if e.Parent != 0 && e.Tier == policy.GPUMemory {
			b.open.Parent = new(parent.integer())
		}
	}
	b.open.Hashes = append(b.open.Hashes, own.integer())
	if e.Tier == policy.GPUMemory { // of a lower tier vLLM names blocks only: their tokens are known from the GPU
		b.open.TokenIDs = append(b.open.TokenIDs, e.Tokens...)
	}
	b.open.last = e.Hash
	return nil
}

// adapter is the number of an adapter.
func (w *writer) adapter(name string) int {
	if w.adapters[name] == 0 {
		w.adapters[name] = len(w.adapters) + 1
	}
	return w.adapters[name]
}

func (b *batch) close() {
	if b.open != nil {
		b.events = append(b.events, b.open.blockStored)
		b.open = nil
	}
}

// encode encodes the array of a time in seconds, the events, and the rank.
func (b *batch) encode(at time.Time) ([]byte, error) {
	const rank = 0
	var out bytes.Buffer
	e := msgpack.NewEncoder(&out)
	e.UseCompactInts(true)
	e.UseArrayEncodedStructs(b.writer.format == Arrays)
	err := e.Encode([]any{float64(at.UnixNano()) / 1e9, b.events, rank})
	return out.Bytes(), err
}
