// SPDX-License-Identifier: Apache-2.0

// Package evaluate says how good a policy is: it simulates scenarios with the policy in the
// place of their router's, and answers with scores from 0 to 1. Its callers are programs that
// search for policies.
//
// A [Policy] and a [Scenario] are read once. [Scenario.With] joins the two, and
// [Evaluator.Evaluate] simulates the result under one seed. An [Answer] has the form that
// answer.schema.json describes. A fault of the policy is an answer, with the score 0; an error
// is a fault of the caller or of the machine.
package evaluate
