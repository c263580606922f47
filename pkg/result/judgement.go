// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/verdict"

// Judgement is what came of a gate.
type Judgement = verdict.Outcome

// The judgements.
const (
	Pass      = verdict.Pass
	Fail      = verdict.Fail
	Unknown   = verdict.Undecided
	NotJudged = verdict.NotJudged
)
