// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Parquet is a Parquet file that carries all that a trace can say. Its columns have the
// names and the meanings that the fields of [Windtunnel] have, and a row leaves null what it
// does not say. The metadata of the file has what the header of Windtunnel has:
// windtunnel_trace, which may be missing, and block_tokens, where rows have blocks.
const Parquet Format = "Parquet"

const parquetMagic = "PAR1"

var parquet = format{
	name:         Parquet,
	matches:      func(text string) bool { return strings.HasPrefix(text, parquetMagic) },
	beginning:    len(parquetMagic),
	expected:     "is a Parquet file",
	carries:      traitNames(rowTraits...),
	times:        Nanoseconds,
	tick:         time.Nanosecond,
	sharedBlocks: true,
}

// A ParquetCodec reads and writes Parquet files. The package parquetfile has the only one: a
// program that reads no traces, such as the manager, does not link it.
type ParquetCodec interface {
	// Open opens a file of a given size. The errors of an open file name the column.
	Open(file io.ReaderAt, bytes int64) (ParquetReader, error)
	// Create returns a writer of a file.
	Create(w io.Writer, metadata map[string]string) ParquetWriter
}

// A ParquetReader reads the rows of a file, one after the other.
type ParquetReader interface {
	// Metadata returns what the file's metadata has under a key.
	Metadata(key string) (string, bool)
	// Next reads the next row, which is valid until the next call. It returns nil after the
	// last row.
	Next() (*ParquetRow, error)
}

// A ParquetWriter writes rows. Close writes the end of the file.
type ParquetWriter interface {
	Write(*ParquetRow) error
	Close() error
}

// ParquetRow is a row of a file. A number that is nil and an empty name say nothing.
type ParquetRow struct {
	ArrivalNs    *int64   `parquet:"arrival_ns,optional"`
	DelayNs      *int64   `parquet:"delay_ns,optional"`
	InputTokens  *int64   `parquet:"input_tokens,optional"`
	OutputTokens *int64   `parquet:"output_tokens,optional"`
	Blocks       []uint64 `parquet:"blocks,list"`
	Session      string   `parquet:"session,optional,dict"`
	Tenant       string   `parquet:"tenant,optional,dict"`
	Class        string   `parquet:"class,optional,dict"`
	Priority     *int64   `parquet:"priority,optional"`
	Model        string   `parquet:"model,optional,dict"`
	Adapter      string   `parquet:"adapter,optional,dict"`
}

// parquetRecords are the rows of a Parquet file.
type parquetRecords struct {
	file        io.ReaderAt
	size        int64
	rows        ParquetReader
	blockTokens int32
	read        int // rows
}

func newParquetRecords(o Options, r io.Reader) (*parquetRecords, error) {
	if o.Parquet == nil {
		return nil, errors.New("the format Parquet is not read here")
	}
	file, size, err := anywhere(r, o.MemoryBytes)
	if err != nil {
		return nil, err
	}
	p := &parquetRecords{file: file, size: size}
	if p.rows, err = o.Parquet.Open(file, size); err != nil {
		return nil, err
	}
	return p, p.header()
}

// header reads the metadata of the file.
func (p *parquetRecords) header() error {
	if version, known := p.rows.Metadata(windtunnelHeader); known && version != strconv.Itoa(windtunnelVersion) {
		return fmt.Errorf("metadata %s: must be the version %d, got %.80q", windtunnelHeader, windtunnelVersion, version)
	}
	text, known := p.rows.Metadata(windtunnelBlockTokens)
	if !known {
		return nil
	}
	size, err := strconv.Atoi(text)
	if err != nil || size < 1 || size > maxBlockTokens {
		return fmt.Errorf("metadata %s: must be between 1 and %d tokens, got %.80q", windtunnelBlockTokens, maxBlockTokens, text)
	}
	p.blockTokens = int32(size)
	return nil
}

func (p *parquetRecords) next(rec *record) (bool, error) {
	row, err := p.rows.Next()
	if err != nil {
		return false, atRow(p.read+1, err)
	}
	if row == nil {
		return false, nil
	}
	p.read++
	*rec = record{
		row: p.read, timeField: windtunnelArrival, delayField: windtunnelDelay, outputField: windtunnelOutput,
		blockTokens: p.blockTokens, ids: row.Blocks, session: row.Session,
		attributes: attributes{tenant: row.Tenant, class: row.Class, model: row.Model, adapter: row.Adapter},
	}
	if err := p.fill(rec, row); err != nil {
		return false, atRow(p.read, err)
	}
	return true, nil
}

// fill checks a row and fills in its numbers.
func (p *parquetRecords) fill(rec *record, row *ParquetRow) (err error) {
	for _, column := range []struct {
		name  string
		value *int64
		into  *int32
		check func(string, uint64) (int32, error)
	}{{windtunnelInput, row.InputTokens, &rec.input, tokens}, {windtunnelOutput, row.OutputTokens, &rec.output, answer}} {
		if column.value == nil {
			return invalidField(column.name, "is missing")
		}
		if *column.value < 0 {
			return invalidField(column.name, "must not be negative, got %d", *column.value)
		}
		if *column.into, err = column.check(column.name, uint64(*column.value)); err != nil {
			return err
		}
	}
	if rec.untimed = row.ArrivalNs == nil; !rec.untimed {
		if rec.at, err = nanoseconds(windtunnelArrival, *row.ArrivalNs); err != nil {
			return err
		}
	}
	if rec.delayed = row.DelayNs != nil; rec.delayed {
		delay, err := nanoseconds(windtunnelDelay, *row.DelayNs)
		if err != nil {
			return err
		}
		rec.delay = time.Duration(delay)
	}
	if row.Priority != nil {
		if rec.priority, err = priority(windtunnelPriority, *row.Priority); err != nil {
			return err
		}
	}
	return errors.Join(rec.checkOwn(), checkNames(row))
}

// checkNames checks the names of a row.
func checkNames(row *ParquetRow) error {
	for _, name := range []struct{ field, text string }{
		{windtunnelSession, row.Session}, {windtunnelTenant, row.Tenant}, {windtunnelClass, row.Class},
		{windtunnelModel, row.Model}, {windtunnelAdapter, row.Adapter},
	} {
		if len(name.text) > maxNameBytes || !utf8.ValidString(name.text) {
			return invalidField(name.field, "must be text of at most %d bytes, got %.80q", maxNameBytes, name.text)
		}
	}
	return nil
}

func (p *parquetRecords) digest() (string, error) {
	return digestOf(io.NewSectionReader(p.file, 0, p.size))
}

func (p *parquetRecords) memory() int64 { return 0 }

// parquetWriter writes rows as a Parquet file.
type parquetWriter struct {
	out ParquetWriter
	row ParquetRow
	// numbers is the memory of those of the row.
	numbers [5]int64
}

func newParquetWriter(codec ParquetCodec, w io.Writer, blockTokens int32) (*parquetWriter, error) {
	if codec == nil {
		return nil, errors.New("the format Parquet is not written here")
	}
	metadata := map[string]string{windtunnelHeader: strconv.Itoa(windtunnelVersion)}
	if blockTokens > 0 {
		metadata[windtunnelBlockTokens] = strconv.Itoa(int(blockTokens))
	}
	return &parquetWriter{out: codec.Create(w, metadata)}, nil
}

func (p *parquetWriter) write(r *record, _ int) error {
	p.row = ParquetRow{
		Blocks: r.ids, Session: r.session, Tenant: r.tenant, Class: r.class, Model: r.model, Adapter: r.adapter,
		InputTokens: p.number(0, int64(r.input)), OutputTokens: p.number(1, int64(r.output)),
	}
	if r.delayed {
		p.row.DelayNs = p.number(2, int64(r.delay))
	} else {
		p.row.ArrivalNs = p.number(3, r.at)
	}
	if r.priority != nil {
		p.row.Priority = p.number(4, int64(*r.priority))
	}
	return p.out.Write(&p.row)
}

func (p *parquetWriter) number(i int, value int64) *int64 {
	p.numbers[i] = value
	return &p.numbers[i]
}

func (p *parquetWriter) close() error { return p.out.Close() }
