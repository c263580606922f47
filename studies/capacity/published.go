// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"windtunnel.dev/windtunnel/studies/study"
)

// profiles are those of the benchmark, best first. The sample's runs bear their
// names.
var profiles = []string{"precise", "estimated", "load", "random"}

// stage is what was measured of one profile at one rate.
type stage struct {
	rate, seconds float64
	// tokensPerSecond is the output tokens of the stage's requests over the time
	// from its start to the end of the last of them.
	tokensPerSecond float64
	// meanTTFT and p90TTFT are in seconds.
	meanTTFT, p90TTFT float64
}

// readPublished returns the published stages by profile, in order of rate.
func readPublished() (map[string][]stage, error) {
	path, err := study.DataFile("published", "llm-d-73-capacity.csv")
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := parseStages(file, profiles)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// parseStages reads a row a stage, after a line of titles, and returns the stages of
// each profile in the order of the rows.
func parseStages(table io.Reader, profiles []string) (map[string][]stage, error) {
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		return nil, err
	}
	all := map[string][]stage{}
	for i, row := range rows[1:] {
		s, err := parseStage(row)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		all[row[2]] = append(all[row[2]], s)
	}
	for _, profile := range profiles {
		if len(all[profile]) == 0 {
			return nil, fmt.Errorf("no rows of profile %s", profile)
		}
	}
	return all, nil
}

// parseStage reads the columns rate, length, profile, output tokens a second,
// requests a second, and TTFT's P90 and mean.
func parseStage(row []string) (stage, error) {
	var s stage
	var errs []error
	for _, column := range []struct {
		at int
		to *float64
	}{{0, &s.rate}, {1, &s.seconds}, {3, &s.tokensPerSecond}, {5, &s.p90TTFT}, {6, &s.meanTTFT}} {
		v, err := strconv.ParseFloat(row[column.at], 64)
		*column.to = v
		errs = append(errs, err)
	}
	return s, errors.Join(errs...)
}
