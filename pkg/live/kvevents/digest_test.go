// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"encoding/hex"
	"testing"
)

// The digests are those of a program in Python that writes CBOR byte by byte and has hashlib's SHA-256.
func TestDigestsAreVLLMs(t *testing.T) {
	tokens := []uint32{1, 2, 300, 70_000}
	first := noParent.next(tokens, "")
	for name, tc := range map[string]struct {
		got     digest
		want    string
		integer uint64
	}{
		"PYTHONHASHSEED=0": {noParent, "4e1195df020de59e0d65a33a4279f1183e7ae4e5d980e309f8b55adff2e61c3e", 17921330210090130494},
		"a first block":    {first, "0bd7b58f2ebe08691f697f880e09dffc2d55c4f30d92bec1101e1ec2751812af", 1161399574445167279},
		"a second block":   {first.next([]uint32{0, 4_294_967_295, 23, 24}, ""), "d60b1b7cd43bc024eb2fec5fb8806b1ada12e455486915859a1b720dd0cbdabe", 11104594709875251902},
		"of an adapter":    {noParent.next(tokens, "sql"), "ae4ab5e8b1efe608544bf0a05951b62c24d0bc2fd63ebbd83534368faa2a28ce", 3833749173462247630},
	} {
		if got := hex.EncodeToString(tc.got[:]); got != tc.want || tc.got.integer() != tc.integer {
			t.Errorf("%s: %s, %d; want %s, %d", name, got, tc.got.integer(), tc.want, tc.integer)
		}
	}
}
