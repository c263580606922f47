// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"fmt"
	"slices"
	"strings"
)

// A Strategy is what a summary tells first.
type Strategy string

const (
	// IssueFocused ranks what went wrong, with examples.
	IssueFocused Strategy = "issue_focused"
	// DecisionAudit goes through decisions at equal distances.
	DecisionAudit Strategy = "decision_audit"
	// Counterfactual says what other picks would have changed.
	Counterfactual Strategy = "counterfactual"
	// PatternMining says with which features of decisions requests miss targets more often.
	PatternMining Strategy = "pattern_mining"
)

// Strategies are all of them; the first one is the default.
var Strategies = []Strategy{IssueFocused, DecisionAudit, Counterfactual, PatternMining}

// StrategyNames are the strategies as texts.
func StrategyNames() []string {
	var names []string
	for _, s := range Strategies {
		names = append(names, string(s))
	}
	return names
}

// DefaultMaxTokens bounds a summary without another bound; CharactersPerToken is what a token is taken for.
const (
	DefaultMaxTokens   = 1500
	CharactersPerToken = 4
)

// SummaryOptions say what a summary is to tell.
type SummaryOptions struct {
	// Strategy is IssueFocused where it is "".
	Strategy Strategy
	// MaxTokens is DefaultMaxTokens where it is 0.
	MaxTokens int
	// Alternatives are what simulations with other picks gave.
	Alternatives []Alternative
}

// An Alternative is another pick for a request, as a simulation with it has it.
type Alternative struct {
	Request           int
	Picked, Elsewhere string
	// Regret is by how much the request had its first token sooner elsewhere, in seconds,
	// and Spread is how much chance changes that.
	Regret, Spread float64
}

// A line of a summary is left out before those with a smaller level, and of one level the last one
// goes first.
type line struct {
	level int
	text  string
}

// The levels, from what stays longest. Headings go with the last line below them.
const (
	levelHeading = iota
	levelOutcome
	levelIssue
	levelFocus
	levelStrategy
	levelWorst
	levelDetail
	levelExtra
)

// Summarize describes a report in Markdown. The same report gives the same bytes.
func Summarize(r *Report, o SummaryOptions) string {
	if o.Strategy == "" {
		o.Strategy = IssueFocused
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	var lines []line
	for _, section := range sectionsOf(o.Strategy) {
		lines = append(lines, section(r, &o)...)
	}
	return join(shorten(lines, o.MaxTokens*CharactersPerToken))
}

type section func(*Report, *SummaryOptions) []line

func sectionsOf(s Strategy) []section {
	switch s {
	case DecisionAudit:
		return []section{outcomeLines, auditLines, issueLines, worstLines, focusLines}
	case Counterfactual:
		return []section{outcomeLines, counterfactualLines, issueLines, worstLines, focusLines}
	case PatternMining:
		return []section{outcomeLines, patternLines, issueLines, worstLines, focusLines}
	default:
		return []section{outcomeLines, issueLines, counterfactualIfAny, patternLines, worstLines, focusLines}
	}
}

// shorten drops the least important lines until the rest has at most a number of characters.
func shorten(lines []line, most int) []line {
	for len(join(lines)) > most && len(lines) > 0 {
		drop := 0
		for i := range lines {
			if lines[i].level >= lines[drop].level {
				drop = i
			}
		}
		lines = slices.Delete(lines, drop, drop+1)
		lines = withoutEmptySections(lines)
	}
	return lines
}

// withoutEmptySections drops headings with no line below them.
func withoutEmptySections(lines []line) []line {
	var kept []line
	for i, l := range lines {
		if l.level == levelHeading && (i+1 == len(lines) || lines[i+1].level == levelHeading) {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

func join(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if l.level == levelHeading && i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

func heading(text string) line { return line{levelHeading, "## " + text} }

func linef(level int, format string, values ...any) line {
	return line{level, fmt.Sprintf(format, values...)}
}
