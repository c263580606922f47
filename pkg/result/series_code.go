// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
)

// maxSeriesBytes bounds series before they are compressed, so that whoever reads some knows
// how much memory they take.
const maxSeriesBytes = 16 << 20

// Pack returns the series of a run as a line of JSON, compressed, in a bounded number of bytes: it makes
// bins wider until they fit. The same series give the same bytes.
func (s *Series) Pack(room int) ([]byte, error) {
	s = s.clone()
	for {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("encode series: %w", err)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(append(line, '\n')) // into memory
		_ = z.Close()
		switch {
		case b.Len() <= room:
			return b.Bytes(), nil
		case len(s.Lasted) <= 1:
			return nil, fmt.Errorf("the series of a run take %d bytes in one bin, and there is room for %d", b.Len(), room)
		}
		s.Widen()
	}
}

// UnpackSeries reads what Pack wrote, one piece or several after each other.
func UnpackSeries(packed []byte) ([]*Series, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	limited := &io.LimitedReader{R: z, N: maxSeriesBytes * 16}
	var all []*Series
	for lines := json.NewDecoder(limited); ; {
		var s Series
		switch err := lines.Decode(&s); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read series: %w", err)
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("read series: %w", err)
		}
		all = append(all, &s)
	}
}

// check says what is wrong with series that were read.
func (s *Series) check() error {
	switch n := len(s.Lasted); {
	case s.SchemaVersion != SeriesSchemaVersion:
		return fmt.Errorf("schema version %q, this binary reads %q", s.SchemaVersion, SeriesSchemaVersion)
	case n == 0 || n > MaxSeriesBins:
		return fmt.Errorf("%d bins: there are 1 to %d", n, MaxSeriesBins)
	case s.UnitNanoseconds < 1 || s.WidthUnits < 1 || s.Runs < 1:
		return fmt.Errorf("%d runs in bins of %d units of %d ns: each is at least 1", s.Runs, s.WidthUnits, s.UnitNanoseconds)
	}
	var err error
	s.eachColumn(func(bins []int64) []int64 {
		if len(bins) != len(s.Lasted) {
			err = fmt.Errorf("a column has %d bins, and another %d", len(bins), len(s.Lasted))
		}
		return bins
	})
	for _, d := range s.Distributions {
		if len(d.Lows) != len(d.Counts) || len(d.Lows) > MaxDistributionPoints || d.Bits < 0 || d.Bits > 9 {
			err = fmt.Errorf("the distribution of %s of class %q has %d values and %d counts of %d bits", d.Metric, d.Class, len(d.Lows), len(d.Counts), d.Bits)
		}
	}
	return err
}
