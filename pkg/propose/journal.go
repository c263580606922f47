// SPDX-License-Identifier: Apache-2.0

package propose

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/policy/mutate"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/search"
)

// An Entry is what came of an inquiry. Together with the rows, the entries determine a search.
type Entry struct {
	Generation int `json:"generation"`
	Island     int `json:"island"`
	// Policies are those of the answer that can be used.
	Policies []Kept `json:"policies,omitempty"`
	// Dropped say why others cannot, and Error why there is no answer.
	Dropped []string `json:"dropped,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Kept is a policy of an answer.
type Kept struct {
	// Bundle is the document in canonical form.
	Bundle string `json:"bundle"`
	// Parent is the place of the parent in the inquiry.
	Parent int    `json:"parent"`
	Note   string `json:"note,omitempty"`
}

// place is what an entry is found by.
type place struct{ generation, island int }

// Journal has entries by what they are found by.
type Journal map[place]*Entry

// Add adds entries.
func (j Journal) Add(entries []Entry) {
	for i := range entries {
		j[place{entries[i].Generation, entries[i].Island}] = &entries[i]
	}
}

// Answers answers inquiries; nil unless there is an entry of each.
func (j Journal) Answers(inquiries []search.Inquiry) [][]search.Proposed {
	all := make([][]search.Proposed, len(inquiries))
	for i := range inquiries {
		e := j[place{inquiries[i].Generation, inquiries[i].Island}]
		if e == nil {
			return nil
		}
		all[i] = e.proposed()
	}
	return all
}

// Check says which entry answers no inquiry, or has what [Client.Propose] does not keep.
func Check(entries []Entry, inquiries []search.Inquiry) error {
	if len(entries) != len(inquiries) {
		return fmt.Errorf("%d entries for %d inquiries", len(entries), len(inquiries))
	}
	for i := range entries {
		e, in := &entries[i], &inquiries[i]
		if e.Generation != in.Generation || e.Island != in.Island || len(e.Policies) > in.Count || len(e.Dropped) > maxDropped {
			return fmt.Errorf("entry %d does not answer generation %d, island %d", i, in.Generation, in.Island)
		}
		for _, why := range append([]string{e.Error}, e.Dropped...) {
			if why != printable.Clip(why, maxReasonBytes) {
				return fmt.Errorf("entry %d has a reason that is not one line of at most %d bytes that can be printed", i, maxReasonBytes)
			}
		}
		for k := range e.Policies {
			if err := e.Policies[k].check(len(in.Parents)); err != nil {
				return fmt.Errorf("entry %d: policy %d: %w", i, k, err)
			}
		}
	}
	return nil
}

// check checks a policy of an inquiry with a number of parents. Programs are not read.
func (k *Kept) check(parents int) error {
	switch {
	case k.Parent < 0 || k.Parent >= parents:
		return fmt.Errorf("has parent %d of %d", k.Parent, parents)
	case len(k.Bundle) > mutate.MaxBytes:
		return fmt.Errorf("has %d bytes, and may have %d", len(k.Bundle), mutate.MaxBytes)
	case k.Note != printable.Clip(k.Note, maxNoteBytes):
		return fmt.Errorf("has a note that is not one line of at most %d bytes that can be printed", maxNoteBytes)
	}
	b, errs := bundle.Read([]byte(k.Bundle), nil)
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	if b.Canonical() != k.Bundle {
		return fmt.Errorf("is not in canonical form")
	}
	return nil
}

// maxDecoded bounds what [Unpack] reads. The answers of a whole generation have less, and so
// have the inquiries of 16 islands.
const maxDecoded = 8 << 20

// Pack writes entries or inquiries as compressed JSON, and Unpack reads them.
func Pack(all any) (packed, raw []byte) {
	raw, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("propose: encode: %v", err))
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(raw) // into memory
	_ = z.Close()
	return b.Bytes(), raw
}

// Unpack reads what Pack wrote into a pointer, and returns the JSON.
func Unpack(packed []byte, into any) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxDecoded+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxDecoded:
		return nil, fmt.Errorf("holds more than %d MiB", maxDecoded>>20)
	}
	return raw, json.Unmarshal(raw, into)
}

// proposed are the policies as a search has them.
func (e *Entry) proposed() []search.Proposed {
	var all []search.Proposed
	for _, k := range e.Policies {
		note := "proposed"
		if k.Note != "" {
			note += ": " + k.Note
		}
		all = append(all, search.Proposed{Value: k.Bundle, Parent: k.Parent, Changes: []string{note}})
	}
	return all
}
