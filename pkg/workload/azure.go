// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Azure is the CSV of the Azure LLM inference traces of 2023: TIMESTAMP in steps
// of 100 ns without a zone, ContextTokens, GeneratedTokens. It says nothing of
// prompts, so none shares a prefix with another.
const Azure Format = "Azure"

var azure = format{
	name:      Azure,
	matches:   func(text string) bool { return strings.HasPrefix(text, azureTimestamp) },
	beginning: len(azureHeader), // errors quote the whole header
	expected:  "is CSV that begins with " + azureHeader,
	parse:     parseAzure,
}

// The fields of an Azure row, in order.
const (
	azureTimestamp = "TIMESTAMP"
	azureInput     = "ContextTokens"
	azureOutput    = "GeneratedTokens"
	azureHeader    = azureTimestamp + "," + azureInput + "," + azureOutput

	azureLayout = "2006-01-02 15:04:05.0000000"
)

// parseAzure is the parser of the Azure format. The first line is the header.
func parseAzure(rec *record, n int, text []byte) (bool, error) {
	if n == 1 {
		if string(text) != azureHeader {
			return false, fmt.Errorf("must be the header %s, got %.80q", azureHeader, text)
		}
		return false, nil
	}
	if fields := bytes.Count(text, []byte(",")) + 1; fields != 3 {
		return false, fmt.Errorf("must have the 3 fields %s, got %d", azureHeader, fields)
	}
	timestamp, lengths, _ := bytes.Cut(text, []byte(","))
	inputText, outputText, _ := bytes.Cut(lengths, []byte(","))
	at, err := azureTime(string(timestamp))
	if err != nil {
		return false, err
	}
	input, err := azureTokens(azureInput, inputText)
	if err != nil {
		return false, err
	}
	output, err := azureTokens(azureOutput, outputText)
	if err != nil {
		return false, err
	}
	*rec = record{timeField: azureTimestamp, at: at, input: input, output: output}
	return true, nil
}

// azureTime returns a time in ns. No zone is stated and none is needed: only
// differences count.
func azureTime(text string) (int64, error) {
	t, err := time.Parse(azureLayout, text)
	// Parse also takes a comma as the point, which the split has excluded,
	// and hours of one digit.
	if err != nil || len(text) != len(azureLayout) {
		return 0, invalidField(azureTimestamp, "must look like 2023-11-16 18:17:03.9799600, got %.80q", text)
	}
	if year := t.Year(); year < 1970 || year > 2200 {
		return 0, invalidField(azureTimestamp, "must lie between the years 1970 and 2200, got %d", year)
	}
	return t.UnixNano(), nil
}

func azureTokens(field string, text []byte) (int32, error) {
	count, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, invalidField(field, "must be a whole number of tokens, got %.80q", text)
	}
	return tokens(field, count)
}
