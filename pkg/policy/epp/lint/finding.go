// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"time"
)

// A Severity says how bad a finding is.
type Severity string

// Error findings keep an EPP from starting or requests from being served.
// Warning findings make it do what is seldom meant. Info findings are worth
// knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Never is no severity: nothing is at or above it.
const Never Severity = "never"

var severities = []Severity{Info, Warning, Error, Never}

// ParseSeverity reads a severity, or never.
func ParseSeverity(text string) (Severity, error) {
	if !slices.Contains(severities, Severity(text)) {
		return "", fmt.Errorf("must be error, warning, info or never")
	}
	return Severity(text), nil
}

// AtLeast reports whether s is as bad as other, or worse.
func (s Severity) AtLeast(other Severity) bool {
	return slices.Index(severities, s) >= slices.Index(severities, other)
}

// A Finding is one thing to know about a configuration.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// File and Config are empty for what [Check] finds. Config says where in the
	// file the configuration stands, if that is not all there is.
	File   string `json:"file,omitempty"`
	Config string `json:"config,omitempty"`
	// Line and Column count from 1, columns in characters.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Path is the field's in the configuration.
	Path string `json:"path,omitempty"`
	// Versions are the EPP's that it holds for, of those that were asked for. There
	// are none for findings about manifests of Windtunnel.
	Versions []string `json:"versions"`
	Message  string   `json:"message"`
	Why      string   `json:"why,omitempty"`
	Fix      string   `json:"fix,omitempty"`
	// Edits are what [Fix] would do about it.
	Edits []Edit `json:"edits,omitempty"`
}

// An Edit replaces the text from one position up to another by a new one.
type Edit struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	NewText   string `json:"newText"`
}

// Context is what a configuration does not say and some rules need. What is zero
// is not known, and rules that need it are silent.
type Context struct {
	// Replicas is how many EPPs serve the pool.
	Replicas int
	// ScrapeInterval is how often engines are asked for their metrics; 0 is the
	// EPP's own 50 ms.
	ScrapeInterval time.Duration
	// PromptTokens is how long the longest prompts are.
	PromptTokens int
	// PrefixShare is the part of a request's prompt that others share, from 0 to
	// 1: the largest over requests.
	PrefixShare float64
	// BlockTokens is the size of the engines' KV blocks.
	BlockTokens int
	// Endpoints is how many endpoints an EPP chooses from, and Tiers in how many memories each keeps KV
	// blocks, that of the GPU included.
	Endpoints, Tiers int
	// SharedTokens is how long a prefix is, in tokens, that prompts share and that is all they share: the
	// longest of several.
	SharedTokens int
	// Experimental is whether the EPP is started with
	// --allow-experimental-plugins.
	Experimental bool
	// Tokenizes is whether a controller gives the token-producer a vLLM that renders prompts.
	Tokenizes bool
}

// scrapeInterval is the EPP's --refresh-metrics-interval unless it is known.
func (c *Context) scrapeInterval() time.Duration {
	if c.ScrapeInterval == 0 {
		return 50 * time.Millisecond
	}
	return c.ScrapeInterval
}
