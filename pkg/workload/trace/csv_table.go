// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// csvTable reads a CSV whose first line names its columns. Columns may come in any order,
// and those that are not requested are not read. Fields may be quoted; a quoted field ends
// in its line.
type csvTable struct {
	delimiter byte
	// columns are the names that are asked for. All but those of optional must be there.
	columns  []string
	optional []string
	// hint follows the error of a header that is another one. namesDelimiter says that the
	// user may name another delimiter.
	hint           string
	namesDelimiter bool
	place          []int // of each column in a row; -1 is not there
	width          int   // fields a row
	fields         [][]byte
	unquoted       []byte            // memory of the fields whose quotes were doubled
	names          map[string]string // texts that occurred, each once
}

// firstLineHas reports whether a text begins with a line that names two columns.
func firstLineHas(text, a, b string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.Contains(line, a) && strings.Contains(line, b)
}

func newCSVTable(delimiter byte, columns ...string) *csvTable {
	return &csvTable{delimiter: delimiter, columns: columns, names: map[string]string{}}
}

// line splits line n. It returns false for the header.
func (t *csvTable) line(n int, text []byte) (bool, error) {
	if n == 1 {
		return false, t.header(text)
	}
	if err := t.split(text); err != nil {
		return false, err
	}
	if len(t.fields) != t.width {
		return false, fmt.Errorf("must have the %d fields of the header, got %d", t.width, len(t.fields))
	}
	return true, nil
}

// request reads what line n says of a request in the first three columns: its time, and the lengths of the prompt and of
// the answer. It returns false for the header.
func (t *csvTable) request(rec *record, n int, text []byte, clock *clock) (bool, error) {
	*rec = record{timeField: t.columns[0], outputField: t.columns[2]}
	ok, err := t.line(n, text)
	if err != nil || !ok {
		return false, err
	}
	if rec.at, err = clock.at(t.field(0)); err != nil {
		return false, err
	}
	if rec.input, err = t.tokens(1); err != nil {
		return false, err
	}
	rec.output, err = t.answer()
	return err == nil, err
}

func (t *csvTable) header(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := t.split(text); err != nil {
		if hint := t.delimiterHint(text); hint != "" {
			return fmt.Errorf("%w%s", err, hint)
		}
		return err
	}
	t.width = len(t.fields)
	t.place = t.place[:0]
	for _, column := range t.columns {
		place := -1
		for i, field := range t.fields {
			if column == "" || string(bytes.TrimSpace(field)) != strings.TrimSpace(column) {
				continue
			}
			if place >= 0 {
				return invalidField(column, "is the name of two columns")
			}
			place = i
		}
		if place < 0 && !slices.Contains(t.optional, column) {
			return fmt.Errorf("must be a header with the columns %s, got %.200q%s", t.wanted(), text, cmp.Or(t.delimiterHint(text), t.caseHint(column), t.hint))
		}
		t.place = append(t.place, place)
	}
	return nil
}

// wanted lists the columns that must be there.
func (t *csvTable) wanted() string {
	wanted := slices.DeleteFunc(slices.Clone(t.columns), func(c string) bool { return slices.Contains(t.optional, c) })
	return strings.Join(wanted, string(rune(t.delimiter)))
}

// quoted is a quoted name of a column.
var quoted = regexp.MustCompile(`"[^"]*"`)

// delimiterHint says by what the fields of a header seem to be separated, where that is
// something else.
func (t *csvTable) delimiterHint(header []byte) string {
	header = quoted.ReplaceAll(header, nil)
	if bytes.IndexByte(header, t.delimiter) >= 0 {
		return ""
	}
	for _, name := range []Delimiter{Comma, Semicolon, Tab, Pipe} {
		switch {
		case bytes.IndexByte(header, delimiters[name]) < 0:
		case t.namesDelimiter:
			return fmt.Sprintf(": the delimiter of csv (--csv) may be %s", name)
		default:
			return fmt.Sprintf(": the format CSV reads it, with the delimiter %s of csv (--csv)", name)
		}
	}
	return ""
}

// caseHint says that a column is there in another case.
func (t *csvTable) caseHint(column string) string {
	for _, field := range t.fields {
		if there := string(bytes.TrimSpace(field)); strings.EqualFold(there, column) {
			return fmt.Sprintf(": upper and lower case count: the file has %q, not %q", there, column)
		}
	}
	return ""
}

// has reports whether column i is there.
func (t *csvTable) has(i int) bool { return t.place[i] >= 0 }

// field returns column i of the row; empty where the column is not there.
func (t *csvTable) field(i int) []byte {
	if t.place[i] < 0 {
		return nil
	}
	return t.fields[t.place[i]]
}

// name returns column i as the name of something, which may be empty.
func (t *csvTable) name(i int) (string, error) {
	text := t.field(i)
	if name, ok := t.names[string(text)]; ok {
		return name, nil
	}
	if len(text) > maxNameBytes || !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return "", invalidField(t.columns[i], "must be plain text of at most %d bytes, got %.80q", maxNameBytes, text)
	}
	name := string(text)
	t.names[name] = name
	return name, nil
}

// unique checks that column i, where it is there, has an id that is not among those before.
func (t *csvTable) unique(i int, seen *idSet) error {
	switch id := t.field(i); {
	case !t.has(i):
		return nil
	case len(id) == 0:
		return invalidField(t.columns[i], "must not be empty")
	case seen.add(id):
		return invalidField(t.columns[i], "must be unique, but an earlier row has %.80q, too", id)
	}
	return nil
}

// maxNameBytes bounds the names of tenants, classes, sessions and models in traces.
const maxNameBytes = 253

// count returns column i as a number of tokens, which may be 0.
func (t *csvTable) count(i int) (uint64, error) {
	count, err := strconv.ParseUint(string(whole(t.field(i))), 10, 64)
	if err != nil {
		return 0, invalidField(t.columns[i], "must be a whole number of tokens, got %.80q", t.field(i))
	}
	return count, nil
}

// whole returns a number without zeros behind a point: programs that have a missing number in
// a column write 100.0 for 100.
func whole(text []byte) []byte {
	digits, zeros, pointed := bytes.Cut(text, []byte("."))
	if pointed && len(zeros) > 0 && len(bytes.Trim(zeros, "0")) == 0 {
		return digits
	}
	return text
}

// tokens returns column i as a count of tokens from 1 on.
func (t *csvTable) tokens(i int) (int32, error) {
	count, err := t.count(i)
	if err != nil {
		return 0, err
	}
	return tokens(t.columns[i], count)
}

// answer returns the length of the answer, which all tables have in their third column, as a
// count of tokens that may be 0.
func (t *csvTable) answer() (int32, error) {
	const i = 2
	count, err := t.count(i)
	if err != nil {
		return 0, err
	}
	return answer(t.columns[i], count)
}

// split takes apart a line.
func (t *csvTable) split(text []byte) error {
	t.fields, t.unquoted = t.fields[:0], t.unquoted[:0]
	for {
		if len(text) > 0 && text[0] == '"' {
			field, rest, err := t.quoted(text[1:])
			if err != nil {
				return err
			}
			t.fields = append(t.fields, field)
			if len(rest) == 0 {
				return nil
			}
			text = rest[1:]
			continue
		}
		end := bytes.IndexByte(text, t.delimiter)
		if end < 0 {
			t.fields = append(t.fields, text)
			return nil
		}
		t.fields = append(t.fields, text[:end])
		text = text[end+1:]
	}
}

// quoted takes a field behind its opening quote; rest is empty or begins with the
// delimiter.
func (t *csvTable) quoted(text []byte) (field, rest []byte, err error) {
	start := len(t.unquoted)
	for {
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			return nil, nil, errors.New("has a quoted field without its closing quote in the line")
		}
		t.unquoted = append(t.unquoted, text[:end]...)
		text = text[end+1:]
		switch {
		case len(text) == 0, text[0] == t.delimiter:
			return t.unquoted[start:len(t.unquoted):len(t.unquoted)], text, nil
		case text[0] != '"':
			return nil, nil, errors.New("has text behind the closing quote of a field")
		}
		t.unquoted, text = append(t.unquoted, '"'), text[1:]
	}
}
