// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// decodeWithLibrary is decodeMooncake by way of encoding/json's tokens.
func decodeWithLibrary(text []byte) (mooncakeRow, error) {
	var row mooncakeRow
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	bad := errors.New("no Mooncake row")
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return row, bad
	}
	number := func(t json.Token, err error) (uint64, error) {
		n, ok := t.(json.Number)
		if err != nil || !ok {
			return 0, bad
		}
		if n == "-0" {
			return 0, nil
		}
		return strconv.ParseUint(n.String(), 10, 64)
	}
	var seen []string
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok || slices.Contains(seen, name) {
			return row, bad
		}
		seen = append(seen, name)
		switch name {
		case "timestamp":
			row.timestamp, err = number(d.Token())
		case "input_length":
			row.input, err = number(d.Token())
		case "output_length":
			row.output, err = number(d.Token())
		case "hash_ids":
			if t, err := d.Token(); err != nil || t != json.Delim('[') {
				return row, bad
			}
			for d.More() {
				id, err := number(d.Token())
				if err != nil {
					return row, err
				}
				row.ids = append(row.ids, id)
			}
			_, err = d.Token()
		case "session_id":
			var t json.Token
			t, err = d.Token()
			if row.session, ok = t.(string); !ok || row.session == "" {
				return row, bad
			}
		case "delay":
			row.delay, err = number(d.Token())
		default:
			err = bad
		}
		if err != nil {
			return row, err
		}
	}
	row.untimed, row.delayed = !slices.Contains(seen, "timestamp"), slices.Contains(seen, "delay")
	for _, name := range []string{"input_length", "output_length", "hash_ids"} {
		if !slices.Contains(seen, name) {
			return row, bad
		}
	}
	if _, err := d.Token(); err != nil || row.untimed && !row.delayed {
		return row, bad
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return row, bad
	}
	return row, nil
}

// sameAsLibrary checks that both decoders take the same texts for the same
// rows. Only the library takes escapes and text that is not UTF-8.
func sameAsLibrary(t *testing.T, text []byte) {
	t.Helper()
	if bytes.IndexByte(text, '\\') >= 0 || !utf8.Valid(text) {
		return
	}
	var got mooncakeRow
	err := decodeMooncake(&got, text)
	want, wantErr := decodeWithLibrary(text)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: error %v, the library's %v", text, err, wantErr)
	}
	if err != nil {
		return
	}
	if !slices.Equal(got.ids, want.ids) {
		t.Fatalf("%q: ids %v, want %v", text, got.ids, want.ids)
	}
	got.ids, want.ids = nil, nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mooncakeRow{})); diff != "" {
		t.Fatalf("%q (−want +got):\n%s", text, diff)
	}
}

// Random rows, whole and with a byte or two changed.
func TestDecodeMooncakeMatchesLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte("{}[]:,\"0123456789-.eE \ttimestamp_hash_idsession_delay")
	for range 20_000 {
		row := mooncakeRow{timestamp: rng.Uint64N(100), input: rng.Uint64(), output: rng.Uint64N(3)}
		if rng.IntN(2) == 0 {
			row.session = "s" + strconv.Itoa(rng.IntN(5))
		}
		if rng.IntN(3) == 0 {
			row.delayed, row.delay = true, rng.Uint64N(1000)
		}
		for range rng.IntN(4) {
			row.ids = append(row.ids, rng.Uint64N(30))
		}
		text := appendMooncake(nil, row)
		sameAsLibrary(t, text)
		for range 1 + rng.IntN(2) {
			text[rng.IntN(len(text))] = alphabet[rng.IntN(len(alphabet))]
		}
		sameAsLibrary(t, text)
	}
}

func FuzzDecodeMooncake(f *testing.F) {
	f.Add([]byte(`{"timestamp": 3, "input_length": 600, "output_length": 2, "hash_ids": [7, 8]}`))
	f.Add([]byte(` { "hash_ids":[ ] ,"output_length":-0,"input_length":18446744073709551615,"timestamp":1}` + "\r"))
	f.Add([]byte(`{"timestamp": 1e3, "delay": 01}`))
	f.Add([]byte(`{"session_id": "a", "delay": 9, "input_length": 600, "output_length": 2, "hash_ids": [7, 8]}`))
	f.Fuzz(sameAsLibrary)
}
