// SPDX-License-Identifier: Apache-2.0

// Package study says what to simulate next and what the results mean. [New] begins a study
// of a plan. [Study.Round] is what to simulate, [Study.AddRows] takes the rows of a whole
// round; then the leaderboard, the verdict and the status follow. The same rows give the
// same study, wherever they were simulated.
package study
