// SPDX-License-Identifier: Apache-2.0

// Package access decides who may read what over HTTPS: it asks the cluster whose a bearer token
// is (TokenReview), and whether that user has a right on an object (SubjectAccessReview). It
// grants nothing of its own, so a reader of one namespace sees nothing of another.
//
// A [Guard] remembers answers, so that a page with many parts does not ask as many times:
//
//   - whose a token is, for one minute, and that a token is refused, for 10 s. A token that
//     expires, or whose account is deleted, works until then.
//   - that a user has a right, for 30 s, which is shorter than the five minutes of the metrics
//     server: results say more than metrics do. That a user lacks a right, for 5 s, so that who
//     was granted one need not wait.
//
// Both memories are bounded. A handler of a long stream asks again while it runs.
package access
