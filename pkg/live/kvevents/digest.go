// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/fxamacker/cbor/v2"
)

// digest is vLLM's hash of a block and of all that comes before it, with --prefix-caching-hash-algo
// sha256_cbor.
type digest [sha256.Size]byte

// noParent is the parent of a first block, where PYTHONHASHSEED is 0.
var noParent = sum("0")

// canonical encodes as Python's cbor2 does with canonical=True.
var canonical = func() cbor.EncMode {
	mode, err := cbor.CanonicalEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

func sum(value any) digest {
	encoded, err := canonical.Marshal(value)
	if err != nil {
		panic(err) // numbers, bytes and texts have an encoding
	}
	return sha256.Sum256(encoded)
}

// next is the digest of the block of some tokens behind the one of this digest. adapter is a LoRA adapter;
// empty for the base model.
func (d digest) next(tokens []uint32, adapter string) digest {
	var extra any
	if adapter != "" {
		extra = []string{adapter}
	}
	return sum([]any{d[:], tokens, extra})
}

// integer is the low 64 bits of the digest: what events have, unless VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES is 0.
func (d digest) integer() uint64 { return binary.BigEndian.Uint64(d[len(d)-8:]) }
