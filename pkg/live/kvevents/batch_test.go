// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// text is a text of three blocks of two tokens, and a block of an adapter.
var (
	one   = replicas.BlockEvent{Hash: 11, Tokens: []uint32{1, 2}}
	two   = replicas.BlockEvent{Hash: 12, Parent: 11, Tokens: []uint32{3, 4}}
	three = replicas.BlockEvent{Hash: 13, Parent: 12, Tokens: []uint32{5, 70_000}}
	other = replicas.BlockEvent{Hash: 21, Tokens: []uint32{1, 2}, Adapter: "sql"}
)

func gone(e replicas.BlockEvent) replicas.BlockEvent {
	e.Kind, e.Tokens = replicas.BlockRemoved, nil
	return e
}

func below(e replicas.BlockEvent) replicas.BlockEvent {
	e.Tier = policy.CPUMemory
	return e
}

// Blocks that follow each other in a text are one event. The fields of arrays are in vLLM's order.
func TestBatchesAreVLLMs(t *testing.T) {
	h1 := noParent.next(one.Tokens, "")
	h2 := h1.next(two.Tokens, "")
	h3 := h2.next(three.Tokens, "")
	a, b, c, sql := h1.integer(), h2.integer(), h3.integer(), noParent.next(other.Tokens, "sql").integer()
	cleared := replicas.BlockEvent{Kind: replicas.BlocksCleared}
	for name, tc := range map[string]struct {
		events []replicas.BlockEvent
		want   []any
	}{
		"a text": {[]replicas.BlockEvent{one, two, three}, []any{
			[]any{"BlockStored", []any{a, b, c}, nil, []any{1, 2, 3, 4, 5, 70_000}, 2, nil, "GPU", nil},
		}},
		"behind a text, and another one": {[]replicas.BlockEvent{one, other, two}, []any{
			[]any{"BlockStored", []any{a}, nil, []any{1, 2}, 2, nil, "GPU", nil},
			[]any{"BlockStored", []any{sql}, nil, []any{1, 2}, 2, 1, "GPU", "sql"},
			[]any{"BlockStored", []any{b}, a, []any{3, 4}, 2, nil, "GPU", nil},
		}},
		"down a tier": {[]replicas.BlockEvent{one, two, below(one), below(two), gone(one), gone(two), gone(below(one))}, []any{
			[]any{"BlockStored", []any{a, b}, nil, []any{1, 2, 3, 4}, 2, nil, "GPU", nil},
			[]any{"BlockStored", []any{a, b}, nil, []any{}, 2, nil, "CPU", nil},
			[]any{"BlockRemoved", []any{a}, "GPU"},
			[]any{"BlockRemoved", []any{b}, "GPU"},
			[]any{"BlockRemoved", []any{a}, "CPU"},
		}},
		"behind a removed block": {[]replicas.BlockEvent{one, gone(one), two}, []any{
			[]any{"BlockStored", []any{a}, nil, []any{1, 2}, 2, nil, "GPU", nil},
			[]any{"BlockRemoved", []any{a}, "GPU"},
			[]any{"BlockStored", []any{b}, a, []any{3, 4}, 2, nil, "GPU", nil},
		}},
		"all at once": {[]replicas.BlockEvent{one, cleared, one}, []any{
			[]any{"BlockStored", []any{a}, nil, []any{1, 2}, 2, nil, "GPU", nil},
			[]any{"AllBlocksCleared"},
			[]any{"BlockStored", []any{a}, nil, []any{1, 2}, 2, nil, "GPU", nil},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Unix(1_800_000_000, 500_000_000)
			arrays, err := newWriter(Arrays, 2).payload(tc.events, at)
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint([]any{1_800_000_000.5, tc.want, 0})
			if diff := cmp.Diff(want, fmt.Sprint(decoded(t, arrays))); diff != "" {
				t.Errorf("as arrays (−want +got):\n%s", diff)
			}
			maps, err := newWriter(Maps, 2).payload(tc.events, at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, fmt.Sprint(asArrays(decoded(t, maps)))); diff != "" {
				t.Errorf("as maps (−want +got):\n%s", diff)
			}
		})
	}
}

func decoded(t *testing.T, payload []byte) []any {
	t.Helper()
	var batch []any
	if err := msgpack.Unmarshal(payload, &batch); err != nil {
		t.Fatal(err)
	}
	return batch
}

// asArrays has the fields of each event of a batch in the order of vLLM's classes.
func asArrays(batch []any) []any {
	names := map[any][]string{
		"BlockStored":      {"type", "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium", "lora_name"},
		"BlockRemoved":     {"type", "block_hashes", "medium"},
		"AllBlocksCleared": {"type"},
	}
	var events []any
	for _, e := range batch[1].([]any) {
		fields := e.(map[string]any)
		var values []any
		for _, name := range names[fields["type"]] {
			values = append(values, fields[name])
			delete(fields, name)
		}
		for name := range fields {
			values = append(values, "unknown "+name)
		}
		events = append(events, values)
	}
	return []any{batch[0], events, batch[2]}
}

// What contradicts the events before is an error, not an event.
func TestContradictionsAreErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		events []replicas.BlockEvent
		want   string
	}{
		"an unknown parent":  {[]replicas.BlockEvent{two}, "stores a block at 0s behind one that is not known"},
		"an unknown block":   {[]replicas.BlockEvent{gone(one)}, "removes a block at 0s that it does not hold"},
		"a block twice gone": {[]replicas.BlockEvent{one, gone(one), gone(one)}, "removes a block at 0s that it does not hold"},
	} {
		_, err := newWriter(Arrays, 2).payload(tc.events, time.Unix(0, 0))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// A chain forgets the block that went first.
func TestAChainForgets(t *testing.T) {
	c := newChain()
	c.most = 2
	for hash := range uint64(4) {
		e := replicas.BlockEvent{Hash: hash + 1, Tokens: []uint32{uint32(hash)}}
		if _, _, err := c.store(e); err != nil {
			t.Fatal(err)
		}
		if hash == 1 {
			continue // which the replica keeps
		}
		if _, err := c.remove(e); err != nil {
			t.Fatal(err)
		}
	}
	if c.blocks[1] != nil || c.blocks[2] == nil || c.blocks[3] == nil || c.blocks[4] == nil {
		t.Errorf("the chain remembers %v", c.blocks)
	}
}
