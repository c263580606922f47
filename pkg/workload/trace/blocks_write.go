// SPDX-License-Identifier: Apache-2.0

package trace

import "time"

// newMooncakeWriter writes rows as the published traces do. The partial last block of a
// prompt has an id, which no other row has.
func newMooncakeWriter(int32) rowWriter {
	var ids []uint64
	return rowWriter{append: func(line []byte, r *record, n int) []byte {
		ids = append(ids[:0], r.ids...)
		if r.input%MooncakeBlockTokens != 0 {
			ids = append(ids, madeUp(ownBlock, uint64(n), uint64(r.input)))
		}
		return appendMooncake(line, mooncakeRow{
			timestamp: uint64(r.at / int64(time.Millisecond)), untimed: r.delayed,
			delay: uint64(r.delay / time.Millisecond), delayed: r.delayed,
			input: uint64(r.input), output: uint64(r.output), ids: ids, session: r.session,
		})
	}}
}

func newLLMServingSimWriter(int32) rowWriter {
	return rowWriter{append: func(line []byte, r *record, _ int) []byte {
		o := jsonObject(line).integer(llmServingSimTimestamp, r.at)
		o = o.integer("input_length", int64(r.input)).integer("output_length", int64(r.output))
		return o.integers("hash_ids", r.ids).end()
	}}
}

// newBailianWriter numbers chats by row. The parent of a chat is the row before it in its
// session.
func newBailianWriter(int32) rowWriter {
	type turn struct{ chat, number int64 }
	last := map[string]turn{}
	return rowWriter{append: func(line []byte, r *record, n int) []byte {
		this, parent := turn{int64(n), 1}, int64(-1)
		if before, known := last[r.session]; known && r.session != "" {
			this.number, parent = before.number+1, before.chat
		}
		if r.session != "" {
			last[r.session] = this
		}
		o := jsonObject(line).integer(bailianChat, this.chat).integer("parent_chat_id", parent).seconds("timestamp", r.at)
		o = o.integer("input_length", int64(r.input)).integer("output_length", int64(r.output))
		return o.name("type", "text").integer("turn", this.number).integers("hash_ids", r.ids).end()
	}}
}
