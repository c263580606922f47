// SPDX-License-Identifier: Apache-2.0

// Package servegen makes requests of a ServeGen folder, which describes recorded traffic
// by the statistics of its clients.
//
// [Archive] packs the folder, [ReadArchive] reads it, and [Data.Source] draws requests. A client is
// chunk-N-trace.csv, with a rate and a law of gaps for each window of time, and
// chunk-N-dataset.json, with histograms of the lengths of prompts and answers. Nothing is
// known of what prompts share, so none shares a prefix with another.
package servegen
