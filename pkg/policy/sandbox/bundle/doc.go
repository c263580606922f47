// SPDX-License-Identifier: Apache-2.0

// Package bundle reads PolicyBundles: documents with the policies of a cluster, from
// admission to auto-scaling, each of which is a policy of Windtunnel by name or a program.
//
// Reading a document does not read the programs in it. Code is loaded with [Component.Load],
// in the process that runs it.
package bundle
