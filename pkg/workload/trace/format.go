// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Format is a trace's file format. It settles the units; nothing is guessed.
type Format string

// format declares one file format.
type format struct {
	name Format
	// matches says whether a file that begins with this text may have the format;
	// beginning is how many bytes of the file it wants to see at most. expected is
	// the test in words, which follow the name.
	matches   func(text string) bool
	beginning int
	expected  string
	// blockTokens is the size of the blocks whose ids rows have, in tokens; 0 where
	// rows have none.
	blockTokens int32
	// header says that the first line is no row.
	header bool
	// describes says that a file has no rows, but says what its requests are like. Then
	// there is no parser and no writer.
	describes bool
	// newParser returns a parser of one text, and newWriter a writer of one with blocks of
	// a number of tokens. Parquet is no text and has neither.
	newParser func(Options) parser
	newWriter func(blockTokens int32) rowWriter
	// newRecords returns the rows of a file that is only read, and whose rows are not lines.
	newRecords func(Options, io.Reader) (records, error)
	// times is how the format writes times; empty where the options say it.
	times TimeFormat
	// carries are the traits of rows that the format has a place for, and tick is the unit of
	// its times. sharedBlocks says that rows need not name the blocks that are their own.
	carries      []string
	tick         time.Duration
	sharedBlocks bool
	// outcomes says that rows may say how requests were served.
	outcomes bool
	// ownSessions says that a row without a session becomes one of its own.
	ownSessions bool
}

// formats are all file formats, in order of their names.
var formats = []format{accessLog, aibrix, azure, burstGPT, csvFormat, llmServingSim, mooncake, otel, parquet, qwenBailian, serveGen, traceLab, traceV2, vidur, weka, windtunnel}

// Formats lists the formats that Read takes.
func Formats() []Format {
	names := make([]Format, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// WrittenFormats lists the formats that Convert writes.
func WrittenFormats() []Format {
	var names []Format
	for _, f := range formats {
		if f.written() {
			names = append(names, f.name)
		}
	}
	return names
}

// written reports whether Convert writes the format.
func (f *format) written() bool { return !f.describes && f.newRecords == nil }

// agentBeginning is how much of a file of agents' sessions shows its format.
const agentBeginning = 4096

// hasKeys reports whether a JSON text has keys, at any depth.
func hasKeys(text string, keys ...string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[") {
		return false
	}
	return !slices.ContainsFunc(keys, func(key string) bool { return !strings.Contains(text, `"`+key+`"`) })
}

// declaration returns what is declared of the format; an unknown one is an error
// that names the known ones.
func (f Format) declaration() (format, error) {
	for _, d := range formats {
		if d.name == f {
			return d, nil
		}
	}
	return format{}, fmt.Errorf("unknown trace format %q, want one of %v", f, Formats())
}

// NamesTenants reports whether rows of the format may name tenants or classes.
func (f Format) NamesTenants() bool {
	d, err := f.declaration()
	return err == nil && (slices.Contains(d.carries, tenantTrait.name) || slices.Contains(d.carries, classTrait.name))
}

// longestBeginning is how many bytes of a file the formats need to recognise it.
func longestBeginning() int {
	longest := 0
	for _, f := range formats {
		longest = max(longest, f.beginning)
	}
	return longest
}

// RecogniseFormat tells a trace's format by how it begins, and returns a reader of the
// whole text. A text of no known format is an error that names the formats and how they
// begin.
func RecogniseFormat(r io.Reader, name string) (Format, io.Reader, error) {
	text, err := decompressed(r)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	whole := bufio.NewReaderSize(text, longestFirstRow)
	start, err := whole.Peek(longestBeginning())
	if err != nil && !errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("%s: read: %w", name, err)
	}
	if len(bytes.TrimSpace(start)) == 0 {
		return "", nil, fmt.Errorf("%s: is empty: it has no requests", name)
	}
	for i := range formats {
		f := &formats[i]
		if !f.matches(string(start[:min(len(start), f.beginning)])) {
			continue
		}
		if _, _, ok := onDisk(r); ok && f.name == Parquet {
			return f.name, r, nil
		}
		if unknown, ok := f.lacksField(whole); ok {
			return "", nil, fmt.Errorf("%s: the first row has the field %.80q, which rows of %s do not have. %s", name, string(unknown), f.name, knownFormats())
		}
		return f.name, whole, nil
	}
	return "", nil, fmt.Errorf("%s: begins with %.40q, like no known format%s. %s", name, start, columnsHint(start), knownFormats())
}

// longestFirstRow is how many bytes of a first row are looked at.
const longestFirstRow = 64 << 10

// lacksField returns a field of the first row, where that is JSON and all of it is at hand, that the format does
// not have.
func (f *format) lacksField(whole *bufio.Reader) (unknown unknownFieldError, lacks bool) {
	if f.newParser == nil || f.header {
		return "", false
	}
	text, _ := whole.Peek(longestFirstRow)
	row, _, ended := bytes.Cut(text, []byte("\n"))
	if !ended && len(text) == longestFirstRow {
		return "", false
	}
	_, err := f.newParser(Options{})(&record{}, 1, bytes.TrimSpace(row))
	lacks = errors.As(err, &unknown)
	return unknown, lacks
}

// knownFormats lists the formats and how they begin.
func knownFormats() string {
	all := []string{"The known formats:"}
	for i := range formats {
		all = append(all, fmt.Sprintf("  - %s %s", formats[i].name, formats[i].expected))
	}
	return strings.Join(all, "\n")
}

// columnsHint says how to read a text that may be CSV.
func columnsHint(start []byte) string {
	header, _, _ := bytes.Cut(start, []byte("\n"))
	isJSON := len(header) > 0 && (header[0] == '{' || header[0] == '[')
	if isJSON || !bytes.ContainsAny(header, ",;\t|") || bytes.ContainsRune(start, 0) {
		return ""
	}
	return "; for a CSV, name its columns: --csv time=COLUMN,timeFormat=Seconds,inputTokens=COLUMN,outputTokens=COLUMN"
}
