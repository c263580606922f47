// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"
	"time"
)

// Azure is the CSV of the Azure LLM inference traces of 2023 and 2024: TIMESTAMP, a date
// and time with or without a zone, ContextTokens, GeneratedTokens. It says nothing of
// prompts, so none shares a prefix with another.
const Azure Format = "Azure"

var azure = format{
	name:      Azure,
	matches:   func(text string) bool { return strings.HasPrefix(text, azureTimestamp) },
	beginning: len(azureHeader), // errors quote the whole header
	expected:  "is CSV that begins with " + azureHeader,
	header:    true,
	newParser: func(Options) parser {
		return newLengthsTable(Timestamp, azureTimestamp, azureInput, azureOutput)
	},
	newWriter: newAzureWriter,
	times:     Timestamp,
	tick:      100 * time.Nanosecond,
}

// The columns of an Azure trace.
const (
	azureTimestamp = "TIMESTAMP"
	azureInput     = "ContextTokens"
	azureOutput    = "GeneratedTokens"
	azureHeader    = azureTimestamp + "," + azureInput + "," + azureOutput
)

// newLengthsTable returns the parser of a CSV with three columns: times, and the lengths
// of prompts and answers.
func newLengthsTable(times TimeFormat, timeColumn, input, output string) parser {
	table, clock := newCSVTable(',', timeColumn, input, output), &clock{field: timeColumn, format: times}
	return func(rec *record, n int, text []byte) (bool, error) { return table.request(rec, n, text, clock) }
}
