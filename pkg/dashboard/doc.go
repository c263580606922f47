// SPDX-License-Identifier: Apache-2.0

// Package dashboard serves pages over runs and sweeps: lists, progress as it is made, reports, and
// the way from a sweep to a point, a seed and a request. It reads only, and simulates nothing.
//
// A [Source] has the objects: package folder those of files, and package cluster those of a
// cluster. A [Guard] says what the reader of a page may see. The server asks it before each page,
// download and stream of events, and says nothing about an object that the reader may not get:
// the answer is that of an object that is not there.
//
// Pages work without scripts. The one script listens to the events of a page, and fetches the page
// again when its object changes.
package dashboard
