// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A time that is written in another way than the format says is told how to be written or read.
func TestATimeOfAnotherLayoutIsTold(t *testing.T) {
	const nginx = "log $msec for timeFormat Seconds, or $time_iso8601 for timeFormat Timestamp"
	const rewrite = "write dates as 2006-01-02 15:04:05.123 with timeFormat Timestamp"
	for written, want := range map[string]string{
		"29/Nov/2026:04:00:00 +0000":    nginx,
		"[29/Nov/2026:04:00:00 +0000]":  nginx,
		"Sun, 29 Nov 2026 04:00:00 GMT": rewrite,
		"11/29/2026 04:00:00":           rewrite,
		"29.11.2026 04:00:00":           rewrite,
		"2026/11/29 04:00:00":           rewrite,
		"Nov 29 04:00:00":               rewrite,
		"04:00:00":                      rewrite,
		"soon":                          "",
	} {
		for _, format := range []trace.TimeFormat{trace.Seconds, trace.Timestamp} {
			_, err := readColumns(trace.GenericCSV, &trace.CSV{Time: "ts", Input: "in", Output: "out", TimeFormat: format}, "ts,in,out\n\""+written+"\",1,1\n")
			switch {
			case err == nil:
				t.Errorf("%s is read as %s", written, format)
			case want == "" && !strings.HasSuffix(err.Error(), `got "`+written+`"`), !strings.Contains(err.Error(), want):
				t.Errorf("%s, %s: %v, want %q", written, format, err, want)
			}
		}
	}
	_, err := readColumns(trace.GenericCSV, &trace.CSV{Time: "ts", Input: "in", Output: "out", TimeFormat: trace.Timestamp}, "ts,in,out\n1764388800.123,1,1\n")
	if err == nil || !strings.HasSuffix(err.Error(), ": timeFormat Seconds, Milliseconds, Microseconds or Nanoseconds reads it") {
		t.Errorf("a number as Timestamp: %v", err)
	}
}

func readColumns(format trace.Format, columns *trace.CSV, text string) (*trace.Trace, error) {
	return trace.ReadWith(format, trace.Options{CSV: columns}, strings.NewReader(text), "t")
}
