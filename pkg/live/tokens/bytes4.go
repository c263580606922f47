// SPDX-License-Identifier: Apache-2.0

package tokens

// Bytes4 has a token for every 4 bytes of UTF-8. The last token of a text may be shorter. An id is
// the bytes as a big-endian number, so that equal beginnings have equal ids, and text comes back
// exactly but for NUL bytes that begin a token. It is the estimate of llm-d's router, 4 characters a
// token, for text in ASCII.
type Bytes4 struct{}

// Begin returns no tokens: a prompt begins with its text.
func (Bytes4) Begin() []uint32 { return nil }

// bytesPerToken is how many bytes a token has.
const bytesPerToken = 4

// Encode returns the ids of a text.
func (Bytes4) Encode(text string) []uint32 {
	ids := make([]uint32, 0, (len(text)+bytesPerToken-1)/bytesPerToken)
	for len(text) > 0 {
		n := min(len(text), bytesPerToken)
		var id uint32
		for _, b := range []byte(text[:n]) {
			id = id<<8 | uint32(b)
		}
		ids, text = append(ids, id), text[n:]
	}
	return ids
}

// Decode returns the text of ids.
func (Bytes4) Decode(ids []uint32) string {
	text := make([]byte, 0, len(ids)*bytesPerToken)
	for _, id := range ids {
		started := false
		for shift := 24; shift >= 0; shift -= 8 {
			b := byte(id >> shift)
			if started = started || b != 0 || shift == 0; started {
				text = append(text, b)
			}
		}
	}
	return string(text)
}
