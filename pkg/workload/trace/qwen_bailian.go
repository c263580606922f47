// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// QwenBailian is the JSON lines of the Qwen-Bailian traces: timestamp in s, input_length
// and output_length in tokens, hash_ids of blocks of 16 tokens, chat_id and
// parent_chat_id, which is -1 for the first request of a session. Ids tell what a block
// holds whatever is before it; they are chained when they are read, so that two prompts
// share a block only where they share all before it. type and turn are not sent.
const QwenBailian Format = "QwenBailian"

const bailianBlockTokens = 16

var qwenBailian = format{
	name:        QwenBailian,
	matches:     func(text string) bool { return beginsObject(text, bailianChat) },
	beginning:   jsonBeginning,
	expected:    "has a JSON object with chat_id, timestamp, input_length, output_length and hash_ids on each line",
	blockTokens: bailianBlockTokens,
	newParser:   newBailianParser,
	newWriter:   newBailianWriter,
	carries:     traitNames(blocksTrait, sessionTrait),
	times:       Seconds,
	tick:        time.Nanosecond,
	ownSessions: true,
}

const bailianChat = "chat_id"

// bailianFields are the fields of a row. The first five are always there.
var bailianFields = []string{bailianChat, "timestamp", "input_length", "output_length", "hash_ids", "parent_chat_id", "type", "turn"}

// bailian is what is known of the rows so far.
type bailian struct {
	scanner jsonScanner
	ids     []uint64
	// sessions are the sessions of all chats, which are named by their first chat.
	sessions map[int64]string
}

func newBailianParser(Options) parser {
	return (&bailian{sessions: map[int64]string{}}).parse
}

func (b *bailian) parse(rec *record, _ int, text []byte) (bool, error) {
	*rec = record{timeField: "timestamp", outputField: "output_length"}
	chat, parent, err := b.decode(rec, text)
	if err != nil {
		return false, err
	}
	if rec.session, err = b.session(chat, parent); err != nil {
		return false, err
	}
	// Some files have an id for the partial last block, which is no text of others.
	full := int(rec.input / bailianBlockTokens)
	if partial := min(1, int(rec.input%bailianBlockTokens)); len(b.ids) != full && len(b.ids) != full+partial {
		return false, invalidField("hash_ids", "must have %d ids, one for each full block of %d tokens of input_length, and one more at most for the rest, got %d",
			full, bailianBlockTokens, len(b.ids))
	}
	rec.ids = b.ids[:full]
	chained := uint64(0)
	for i, id := range rec.ids {
		chained = stats.Hash64(chained, id)
		rec.ids[i] = chained
	}
	return true, nil
}

// decode reads a row.
func (b *bailian) decode(rec *record, text []byte) (chat, parent int64, err error) {
	s := &b.scanner
	parent = -1
	if err := s.open(text); err != nil {
		return 0, 0, err
	}
	for {
		field, more, err := s.field(bailianFields)
		if err == nil && !more {
			return chat, parent, s.require(bailianFields[:5])
		}
		if err == nil {
			err = b.decodeField(rec, field, &chat, &parent)
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

func (b *bailian) decodeField(rec *record, field int, chat, parent *int64) (err error) {
	s, name := &b.scanner, bailianFields[field]
	switch name {
	case bailianChat:
		*chat, err = s.signed(name)
	case "parent_chat_id":
		*parent, err = s.signed(name)
	case "timestamp":
		rec.at, err = decimalNs(name, s.decimal(), Seconds)
	case "input_length":
		rec.input, err = s.tokens(name)
	case "output_length":
		rec.output, err = s.answer(name)
	case "hash_ids":
		b.ids, err = s.integers(name, b.ids[:0])
	case "type":
		_, err = s.name(name)
	case "turn":
		_, err = s.integer(name)
	}
	return err
}

// session returns the session of a chat, which begins one or continues that of its
// parent. The parent of a row comes before it, so there is no cycle.
func (b *bailian) session(chat, parent int64) (string, error) {
	if _, known := b.sessions[chat]; known {
		return "", invalidField(bailianChat, "must be unique, but an earlier row has %d, too", chat)
	}
	session := ""
	if parent == -1 {
		session = strconv.FormatInt(chat, 10)
	} else if session = b.sessions[parent]; session == "" {
		return "", invalidField("parent_chat_id", "must be -1 or the chat_id of an earlier row, got %d", parent)
	}
	b.sessions[chat] = session
	return session, nil
}
