// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"sigs.k8s.io/yaml"
)

// figure is one measured number.
type figure struct {
	name, unit, words string
	value             float64
}

// bounds say what a figure may be, and from which measurements that comes.
type bounds struct {
	// Mean and Spread are of the measurements: the spread is half of what lies
	// between the least and the largest.
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
	// Margin is what a figure may be above the mean and the spread, as a part of
	// the mean: other machines are slower and busier.
	Margin float64 `json:"margin"`
	// Limit, unless 0, is the most that a figure may be whatever was measured.
	Limit float64 `json:"limit"`
}

// most is the largest value that is in range.
func (b bounds) most() float64 {
	most := b.Mean + b.Spread + float64(b.Margin*b.Mean)
	if b.Limit > 0 && (b.Limit < most || b.Mean == 0) {
		return b.Limit
	}
	return most
}

// report prints a table, and returns an error for every figure out of its range.
func report(out io.Writer, figures []figure, file string) error {
	ranges := map[string]bounds{}
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := yaml.UnmarshalStrict(raw, &ranges); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FIGURE\tVALUE\tAT MOST\tUNIT\tWHAT")
	var errs []error
	for _, f := range figures {
		limit := "-"
		if b, ok := ranges[f.name]; ok {
			limit = fmt.Sprintf("%.4g", b.most())
			if f.value > b.most() {
				errs = append(errs, fmt.Errorf("%s is %.4g %s, and may be %s", f.name, f.value, f.unit, limit))
			}
		}
		fmt.Fprintf(table, "%s\t%.4g\t%s\t%s\t%s\n", f.name, f.value, limit, f.unit, f.words)
	}
	return errors.Join(append(errs, table.Flush())...)
}
