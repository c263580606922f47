// SPDX-License-Identifier: Apache-2.0

package tokens

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/dlclark/regexp2"
)

// file is what a tokenizer.json has.
type file struct {
	AddedTokens []struct {
		ID         uint32 `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
	} `json:"added_tokens"`
	Normalizer    *step `json:"normalizer"`
	PreTokenizer  *step `json:"pre_tokenizer"`
	PostProcessor *step `json:"post_processor"`
	Model         struct {
		Type                    string            `json:"type"`
		Dropout                 *float64          `json:"dropout"`
		UnknownToken            *string           `json:"unk_token"`
		ContinuingSubwordPrefix string            `json:"continuing_subword_prefix"`
		EndOfWordSuffix         string            `json:"end_of_word_suffix"`
		ByteFallback            bool              `json:"byte_fallback"`
		IgnoreMerges            bool              `json:"ignore_merges"`
		Vocabulary              map[string]uint32 `json:"vocab"`
		Merges                  []mergedPair      `json:"merges"`
	} `json:"model"`
}

// step is one of the steps of a tokeniser, or several of them.
type step struct {
	Type           string `json:"type"`
	PreTokenizers  []step `json:"pretokenizers"`
	Processors     []step `json:"processors"`
	Pattern        struct{ Regex string }
	Behavior       string `json:"behavior"`
	Invert         bool   `json:"invert"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	UseRegex       *bool  `json:"use_regex"`
	// Single is what a prompt is made of: tokens, and the text A.
	Single []struct {
		SpecialToken *struct {
			ID string `json:"id"`
		}
	} `json:"single"`
	SpecialTokens map[string]struct {
		IDs []uint32 `json:"ids"`
	} `json:"special_tokens"`
}

// mergedPair is two tokens, written as one text with a space or as two.
type mergedPair [2]string

// UnmarshalJSON implements json.Unmarshaler.
func (m *mergedPair) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[2]string)(m))
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	m[0], m[1], _ = strings.Cut(text, " ")
	return nil
}

// gpt2Words is the pattern of steps of the type ByteLevel.
const gpt2Words = `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// Read reads the tokenizer.json of Hugging Face's library tokenizers. An error says what of it is not
// known, so that no text gets other tokens than the model's.
func Read(r io.Reader) (*BPE, error) {
	var f file
	var typed *json.UnmarshalTypeError // behind which the rest is read: other models have other fields
	if err := json.NewDecoder(r).Decode(&f); err != nil && (!errors.As(err, &typed) || typed.Field == "") {
		return nil, fmt.Errorf("not a tokenizer.json: %w", err)
	}
	m := &f.Model
	if m.Type != "BPE" || m.Dropout != nil || m.UnknownToken != nil || m.ByteFallback || m.ContinuingSubwordPrefix != "" || m.EndOfWordSuffix != "" {
		return nil, fmt.Errorf("model: only byte-level BPE is known, as that of Llama 3 and Qwen, got %s", cmp.Or(m.Type, "no type"))
	}
	if typed != nil {
		return nil, fmt.Errorf("not a tokenizer.json: %s must not be a JSON %s", typed.Field, typed.Value)
	}
	b := &BPE{added: map[string]uint32{}, whole: m.IgnoreMerges}
	if f.Normalizer != nil && f.Normalizer.Type != "NFC" {
		return nil, fmt.Errorf("normalizer: only NFC is known, got %s", f.Normalizer.Type)
	}
	b.compose = f.Normalizer != nil
	var err error
	if b.words, err = wordsOf(f.PreTokenizer); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if b.begin, err = beginOf(f.PostProcessor); err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	if err := b.readModel(&f); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := b.readAdded(&f); err != nil {
		return nil, fmt.Errorf("added_tokens: %w", err)
	}
	return b, nil
}

// wordsOf is the pattern that splits text.
func wordsOf(s *step) (*regexp2.Regexp, error) {
	if s == nil {
		return nil, errors.New("it is required")
	}
	steps := []step{*s}
	if s.Type == "Sequence" {
		steps = s.PreTokenizers
	}
	pattern, level := "", false
	for _, one := range steps {
		switch {
		case one.Type == "Split" && one.Behavior == "Isolated" && !one.Invert && one.Pattern.Regex != "" && pattern == "":
			pattern = one.Pattern.Regex
		case one.Type == "ByteLevel" && !one.AddPrefixSpace && !level:
			level = true
			if one.UseRegex == nil || *one.UseRegex {
				if pattern != "" {
					return nil, errors.New("two patterns are not known")
				}
				pattern = gpt2Words
			}
		default:
			return nil, fmt.Errorf("a step of the type %s is not known as it is there", one.Type)
		}
	}
	if pattern == "" || !level {
		return nil, errors.New("a pattern and ByteLevel are required")
	}
	return regexp2.Compile(pattern, regexp2.None)
}

// beginOf is the tokens before the text of a prompt.
func beginOf(s *step) (begin []uint32, err error) {
	if s == nil {
		return nil, nil
	}
	steps := []step{*s}
	if s.Type == "Sequence" {
		steps = s.Processors
	}
	for _, one := range steps {
		switch one.Type {
		case "ByteLevel": // only offsets
		case "TemplateProcessing":
			for i, piece := range one.Single {
				if piece.SpecialToken == nil {
					if i != len(one.Single)-1 {
						return nil, errors.New("tokens behind a prompt are not known")
					}
					continue
				}
				special, is := one.SpecialTokens[piece.SpecialToken.ID]
				if !is {
					return nil, fmt.Errorf("special_tokens has no %q", piece.SpecialToken.ID)
				}
				begin = append(begin, special.IDs...)
			}
		default:
			return nil, fmt.Errorf("a step of the type %s is not known", one.Type)
		}
	}
	return begin, nil
}

// readModel reads the vocabulary and the merges.
func (b *BPE) readModel(f *file) error {
	m := &f.Model
	byRune := alphabet()
	b.ids, b.texts, b.merges = make(map[string]uint32, len(m.Vocabulary)), make(map[uint32]string, len(m.Vocabulary)), make(map[[2]uint32]merge, len(m.Merges))
	for token, id := range m.Vocabulary {
		raw := make([]byte, 0, len(token))
		for _, r := range token {
			of, is := byRune[r]
			if !is {
				return fmt.Errorf("token %q is not made of bytes", token)
			}
			raw = append(raw, of)
		}
		b.ids[string(raw)], b.texts[id] = id, string(raw)
	}
	for i := range 256 {
		id, is := b.ids[string([]byte{byte(i)})]
		if !is {
			return fmt.Errorf("byte %d has no token", i)
		}
		b.bytes[i] = id
	}
	for rank, two := range m.Merges {
		left, hasLeft := m.Vocabulary[two[0]]
		right, hasRight := m.Vocabulary[two[1]]
		id, has := m.Vocabulary[two[0]+two[1]]
		if !hasLeft || !hasRight || !has {
			return fmt.Errorf("merge %d, of %q and %q, is not of tokens", rank, two[0], two[1])
		}
		b.merges[[2]uint32{left, right}] = merge{rank, id}
	}
	return nil
}

// readAdded reads the tokens that no pattern splits.
func (b *BPE) readAdded(f *file) error {
	var names []string
	for _, token := range f.AddedTokens {
		if token.Content == "" {
			return fmt.Errorf("token %d has no text", token.ID)
		}
		if token.SingleWord || token.LStrip || token.RStrip {
			return fmt.Errorf("%q: single_word, lstrip and rstrip are not known", token.Content)
		}
		b.added[token.Content], b.texts[token.ID] = token.ID, token.Content
		names = append(names, regexp.QuoteMeta(token.Content))
	}
	if len(names) == 0 {
		return nil
	}
	// The longest one of several that begin at a place.
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var err error
	b.special, err = regexp.Compile(strings.Join(names, "|"))
	return err
}

// alphabet is the bytes by the characters that stand for them in vocabularies: those that are printable
// in Latin-1 stand for themselves, the others for those from 256 on.
func alphabet() map[rune]byte {
	byRune := map[rune]byte{}
	others := rune(256)
	for i := range rune(256) {
		if i >= '!' && i <= '~' || i >= '¡' && i <= '¬' || i >= '®' {
			byRune[i] = byte(i)
		} else {
			byRune[others] = byte(i)
			others++
		}
	}
	return byRune
}
