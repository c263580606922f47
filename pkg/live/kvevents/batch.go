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

// event is the fields of an event in vLLM's order, the tag first.
type event []field

type field struct {
	name  string
	value any
}

// media are the names of the tiers.
var media = [policy.CacheTiers]string{policy.GPUMemory: "GPU", policy.CPUMemory: "CPU", policy.Storage: "STORAGE"}

// stored is consecutive blocks of a text that come into a tier.
type stored struct {
	hashes []uint64
	// parent is nil where there is no block before the first one.
	parent  *uint64
	tokens  []uint32
	tier    policy.CacheTier
	adapter string
	// last is the hash of the last block as the replicas have it.
	last uint64
}

// fields are those of BlockStored. Of a lower tier vLLM names blocks only: their tokens are known from the GPU.
func (s *stored) fields(blockTokens int, adapters map[string]int) event {
	var id, name, parent any
	if s.adapter != "" {
		id, name = adapters[s.adapter], s.adapter
	}
	tokens := []uint32{}
	if s.tier == policy.GPUMemory {
		tokens = s.tokens
		if s.parent != nil {
			parent = *s.parent
		}
	}
	return event{
		{"type", "BlockStored"}, {"block_hashes", s.hashes}, {"parent_block_hash", parent}, {"token_ids", tokens},
		{"block_size", blockTokens}, {"lora_id", id}, {"medium", media[s.tier]}, {"lora_name", name},
	}
}

func removed(hash uint64, tier policy.CacheTier) event {
	return event{{"type", "BlockRemoved"}, {"block_hashes", []uint64{hash}}, {"medium", media[tier]}}
}

// batch makes vLLM's events of those of one replica.
type batch struct {
	events []event
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
		b.events = append(b.events, removed(hash.integer(), e.Tier))
		return err
	case replicas.BlocksCleared:
		b.close()
		b.writer.chain.clear()
		b.events = append(b.events, event{{"type", "AllBlocksCleared"}})
	}
	return nil
}

// store adds a block to the event before it if it is the next one of the same text.
func (b *batch) store(e replicas.BlockEvent) error {
	own, parent, err := b.writer.chain.store(e)
	if err != nil {
		return err
	}
	if e.Adapter != "" && b.writer.adapters[e.Adapter] == 0 {
		b.writer.adapters[e.Adapter] = len(b.writer.adapters) + 1
	}
	if s := b.open; s == nil || s.last != e.Parent || s.tier != e.Tier || s.adapter != e.Adapter {
		b.close()
		b.open = &stored{tier: e.Tier, adapter: e.Adapter}
		if e.Parent != 0 {
			hash := parent.integer()
			b.open.parent = &hash
		}
	}
	b.open.hashes = append(b.open.hashes, own.integer())
	b.open.tokens = append(b.open.tokens, e.Tokens...)
	b.open.last = e.Hash
	return nil
}

func (b *batch) close() {
	if b.open != nil {
		b.events = append(b.events, b.open.fields(b.writer.blockTokens, b.writer.adapters))
		b.open = nil
	}
}

// encode encodes the array of a time in seconds, the events, and the rank.
func (b *batch) encode(at time.Time) ([]byte, error) {
	const rank = 0
	var out bytes.Buffer
	e := msgpack.NewEncoder(&out)
	e.UseCompactInts(true)
	err := e.EncodeArrayLen(3)
	err = first(err, e.EncodeFloat64(float64(at.UnixNano())/1e9))
	err = first(err, e.EncodeArrayLen(len(b.events)))
	for _, event := range b.events {
		err = first(err, event.encode(e, b.writer.format))
	}
	err = first(err, e.EncodeInt(rank))
	return out.Bytes(), err
}

func (v event) encode(e *msgpack.Encoder, format Format) error {
	if format == Arrays {
		err := e.EncodeArrayLen(len(v))
		for _, f := range v {
			err = first(err, e.Encode(f.value))
		}
		return err
	}
	err := e.EncodeMapLen(len(v))
	for _, f := range v {
		err = first(err, e.EncodeString(f.name))
		err = first(err, e.Encode(f.value))
	}
	return err
}

func first(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
