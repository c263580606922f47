// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"time"
)

// units are those of times that are numbers.
var units = map[TimeFormat]time.Duration{
	Seconds: time.Second, Milliseconds: time.Millisecond, Microseconds: time.Microsecond, Nanoseconds: time.Nanosecond,
}

const (
	// Times since 1970 in s lie between these for traces of the years 2017 to 2036.
	leastEpoch, mostEpoch = 1_500_000_000, 2_100_000_000
	// longestSpan is longer than traces are.
	longestSpan = 50 * 365 * 24 * time.Hour
)

// oddTimes says that the times of a trace seem to have another unit than the one that they are
// read in; "" where they do not. first and last are the least and the greatest in ns.
func oddTimes(read TimeFormat, first, last int64) string {
	unit, isNumber := units[read]
	if !isNumber {
		return ""
	}
	least, most := first/int64(unit), last/int64(unit)
	for _, other := range timeFormats() {
		since1970 := int64(time.Second) / max(1, int64(units[other]))
		if other != read && units[other] > 0 && least >= leastEpoch*since1970 && most < mostEpoch*since1970 {
			return fmt.Sprintf("times such as %d are read as %s, but look like %s since 1970: gaps are %d times too %s then",
				least, read.inWords(), other.inWords(), max(unit, units[other])/min(unit, units[other]), longer(unit, units[other]))
		}
	}
	if span := time.Duration(last - first); span > longestSpan {
		return fmt.Sprintf("times are read as %s and span %d years: their unit may be another one", read.inWords(), span/(365*24*time.Hour))
	}
	return ""
}

// longer says how gaps seem that are read in another unit.
func longer(read, actual time.Duration) string {
	if read > actual {
		return "long"
	}
	return "short"
}
