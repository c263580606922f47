// SPDX-License-Identifier: Apache-2.0

// Package tokens turns text into token ids and back. [Bytes4] needs no file; [Read] reads the
// tokenizer.json of a model.
package tokens
