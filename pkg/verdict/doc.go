// SPDX-License-Identifier: Apache-2.0

// Package verdict holds the vocabulary of judgement: what came of gates, and the words, the sign
// and the exit code that say it, wherever it is printed.
package verdict
