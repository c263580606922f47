// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
)

// WriteJSON writes the reports as they are.
func WriteJSON(w io.Writer, reports []Report) error {
	if reports == nil {
		reports = []Report{}
	}
	return writeIndented(w, struct {
		Reports []Report `json:"reports"`
	}{reports})
}

func writeIndented(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// What of SARIF 2.1.0 is written: one run with the rules that there are.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string     `json:"id"`
		ShortDescription     sarifText  `json:"shortDescription"`
		FullDescription      sarifText  `json:"fullDescription"`
		Help                 sarifText  `json:"help"`
		DefaultConfiguration sarifLevel `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Logical  []sarifPath   `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifPath struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

var sarifLevels = map[Severity]string{Error: "error", Warning: "warning", Info: "note"}

// WriteSARIF writes the findings of reports as a SARIF 2.1.0 log. version is the
// linter's own, and others are rules of other packages that the reports have findings of.
func WriteSARIF(w io.Writer, reports []Report, version string, others ...*Rule) error {
	described := slices.Concat(rules, others)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "windtunnel lint", Version: version, InformationURI: "https://windtunnel.dev"}
	for _, r := range described {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID:                   r.ID,
			ShortDescription:     sarifText{r.Summary},
			FullDescription:      sarifText{r.Why},
			Help:                 sarifText{r.Why + " " + r.Fix},
			DefaultConfiguration: sarifLevel{sarifLevels[r.Severity]},
		})
	}
	for _, r := range reports {
		for _, f := range r.Findings() {
			run.Results = append(run.Results, f.sarif(described))
		}
	}
	return writeIndented(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func (f *Finding) sarif(described []*Rule) sarifResult {
	artifact := sarifArtifact{filepath.ToSlash(f.File)}
	result := sarifResult{
		RuleID:    f.Rule,
		RuleIndex: slices.IndexFunc(described, func(r *Rule) bool { return r.ID == f.Rule }),
		Level:     sarifLevels[f.Severity],
		Message:   sarifText{f.Message},
		Locations: []sarifLocation{{Physical: sarifPhysical{artifact, sarifRegion{StartLine: f.Line, StartColumn: f.Column}}}},
	}
	if f.Path != "" {
		result.Locations[0].Logical = []sarifPath{{f.Path}}
	}
	if len(f.Edits) == 0 {
		return result
	}
	change := sarifChange{Artifact: artifact}
	for _, e := range f.Edits {
		region := sarifRegion{StartLine: e.Line, StartColumn: e.Column, EndLine: e.EndLine, EndColumn: e.EndColumn}
		change.Replacements = append(change.Replacements, sarifReplacement{region, sarifText{e.NewText}})
	}
	result.Fixes = []sarifFix{{sarifText{f.Fix}, []sarifChange{change}}}
	return result
}
