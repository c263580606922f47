// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"time"
)

// otherLayouts are ways to write a time that no time format reads, with what to do about each.
var otherLayouts = []struct{ layout, advice string }{
	{"02/Jan/2006:15:04:05 -0700", ": this is $time_local of nginx or the time of Apache's logs, which has no fraction of a second: log $msec for timeFormat Seconds, or $time_iso8601 for timeFormat Timestamp"},
	{time.RFC1123, asTimestamp}, {time.RFC1123Z, asTimestamp}, {time.RFC850, asTimestamp}, {time.ANSIC, asTimestamp}, {time.UnixDate, asTimestamp},
	{time.RubyDate, asTimestamp}, {time.RFC822, asTimestamp}, {time.RFC822Z, asTimestamp}, {time.Stamp, asTimestamp}, {time.StampMilli, asTimestamp},
	{"1/2/2006 15:04:05", asTimestamp}, {"2.1.2006 15:04:05", asTimestamp}, {"1/2/2006 15:04", asTimestamp}, {"1/2/2006 3:04:05 PM", asTimestamp},
	{"2006/01/02 15:04:05", asTimestamp}, {"2006-01-02 15:04", asTimestamp}, {"2006-01-02", asTimestamp}, {"20060102T150405Z", asTimestamp}, {"20060102T150405", asTimestamp},
	{"15:04:05", asTimestamp}, {"15:04", asTimestamp},
}

const asTimestamp = ": write dates as 2006-01-02 15:04:05.123 with timeFormat Timestamp, or seconds since any instant with timeFormat Seconds"

// howToRead says what to do about a time that is not of the format that it is read in; empty where
// it is no time at all.
func howToRead(text []byte) string {
	if _, _, ok := parseTimestamp(text); ok {
		return ": timeFormat Timestamp reads it"
	}
	if mantissa, _, ok := cutExponent(text); ok && isDigits(bytes.ReplaceAll(mantissa, []byte("."), nil)) && bytes.Count(mantissa, []byte(".")) <= 1 {
		return ": timeFormat Seconds, Milliseconds, Microseconds or Nanoseconds reads it"
	}
	trimmed := string(bytes.Trim(text, "[] "))
	for _, other := range otherLayouts {
		if _, err := time.Parse(other.layout, trimmed); err == nil {
			return other.advice
		}
	}
	return ""
}
