// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Sharing states which prompts of a CSV or an access log share a beginning, which its columns do not tell. The
// zero value says that none does.
type Sharing struct {
	// By is what requests have in common that share a beginning.
	By SharedBy
	// Tokens is how long it is, of prompts that are so long. 0 is only for sessions: each
	// prompt repeats the one before in its session, and goes on.
	Tokens int
}

// SharedBy is what requests with a common beginning have in common.
type SharedBy string

// All requests share, or those of a tenant, a class or a session, or those whose texts in the
// column [CSV].Text begin alike.
const (
	SharedByAll     SharedBy = "all"
	SharedByTenant  SharedBy = "tenant"
	SharedByClass   SharedBy = "class"
	SharedBySession SharedBy = "session"
	SharedByText    SharedBy = "text"
)

// WaysToSharePrompts are the ways to state which prompts share a beginning.
const WaysToSharePrompts = "state which prompts share a beginning, in two steps: windtunnel trace convert FILE --share session --to Windtunnel -o shared.jsonl, with --csv COLUMNS if FILE is a CSV, " +
	"and then shared.jsonl in place of FILE, without --csv (--share tenant=500 states the length of system prompts, and --text-column COLUMN in place of --share reads prompts, whose text becomes numbers of blocks and is dropped); " +
	"or use a trace with hash ids; init --imitate, and then prefix and sessions of its clients; or a preset such as RAG"

// UnsharedPrompts says what a trace without blocks cannot show; empty of a trace with blocks.
func (t *Trace) UnsharedPrompts() string {
	if t.blockTokens > 0 {
		return ""
	}
	return "the file does not tell which prompts share a beginning, so prefix caches, tiers below them and routing by prefixes cannot be judged by it: no prompt finds its beginning in a cache. To judge them, " +
		WaysToSharePrompts
}

const (
	// sharedBlockTokens is the size of the blocks that are made: vLLM's default.
	sharedBlockTokens = 16
	// bytesPerToken stands for a token of a text, as the EPP estimates.
	bytesPerToken = 4
)

// validate returns the faults for a format with columns.
func (s Sharing) validate(f Format, c *CSV, path *field.Path) field.ErrorList {
	ways := []SharedBy{SharedByAll, SharedByClass, SharedBySession, SharedByTenant}
	switch {
	case s == (Sharing{}):
		return nil
	case f != GenericCSV && f != AccessLog:
		return field.ErrorList{field.Forbidden(path, "may only be set for the formats AccessLog and CSV")}
	case f == AccessLog && s.By != SharedByAll && s.By != SharedBySession:
		return field.ErrorList{field.NotSupported(path, s.By, []SharedBy{SharedByAll, SharedBySession})}
	case s.By == SharedByText:
		return nil
	case !slices.Contains(ways, s.By):
		return field.ErrorList{field.NotSupported(path, s.By, ways)}
	case s.Tokens < 0 || s.Tokens == 0 && s.By != SharedBySession:
		return field.ErrorList{field.Invalid(path, s.Tokens, "must have the length of the beginning in tokens, such as "+string(s.By)+"=500")}
	case c != nil && s.By != SharedByAll && *map[SharedBy]*string{SharedByTenant: &c.Tenant, SharedByClass: &c.Class, SharedBySession: &c.Session}[s.By] == "":
		return field.ErrorList{field.Invalid(path, s.By, fmt.Sprintf("needs the column of it: --csv %s=COLUMN", s.By))}
	}
	return nil
}

// sharer numbers the blocks with which prompts begin.
type sharer struct {
	Sharing
	ids []uint64
	// numbers are those of blocks of texts, in the order in which they occur: a hash would let
	// whoever guesses a text find out whether it is there.
	numbers map[uint64]uint64
}

// share gives a row the ids of the blocks that it may share.
func (s *sharer) share(rec *record, text []byte) {
	s.ids = s.ids[:0]
	full := int(rec.input) / sharedBlockTokens
	if s.By == SharedByText {
		s.shareText(full, text)
	} else {
		s.shareName(full, rec)
	}
	rec.ids, rec.blockTokens = s.ids, sharedBlockTokens
}

// shareName numbers the blocks of a tenant's, a class's or a session's beginning.
func (s *sharer) shareName(full int, rec *record) {
	name := map[SharedBy]string{SharedByAll: string(SharedByAll), SharedByTenant: rec.tenant, SharedByClass: rec.class, SharedBySession: rec.session}[s.By]
	if name == "" {
		return
	}
	if s.Tokens > 0 {
		full = min(full, s.Tokens/sharedBlockTokens)
	}
	of := stats.HashString(name)
	for i := range full {
		s.ids = append(s.ids, stats.Hash64(of, uint64(i)))
	}
}

// shareText numbers the blocks of a text, each together with all before it.
func (s *sharer) shareText(full int, text []byte) {
	const block = sharedBlockTokens * bytesPerToken
	if s.numbers == nil {
		s.numbers = map[uint64]uint64{}
	}
	chain := uint64(0)
	for i := 0; i < full && (i+1)*block <= len(text); i++ {
		chain = stats.Hash64(chain, stats.HashBytes(text[i*block:(i+1)*block]))
		number, known := s.numbers[chain]
		if !known {
			number = uint64(len(s.numbers))
			s.numbers[chain] = number
		}
		s.ids = append(s.ids, number)
	}
}
