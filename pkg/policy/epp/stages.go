// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

// Profiles that several plugins look for by name.
const (
	decodeProfile  = "decode"
	prefillProfile = "prefill"
	encodeProfile  = "encode"
)

// stages says which scheduling profiles run for a request, and when.
type stages struct {
	// decode is the primary profile: without its endpoint a request fails.
	decode string
	// encode chooses who encodes images, audio and video; "" where that never
	// runs. Simulated requests have none of these.
	encode string
	// prefill chooses who computes the prompt; "" where that never runs.
	prefill string
	// prefillFirst is whether prefill runs before decode, and for each request.
	prefillFirst bool
	// decider names the plugin that says whether prefill runs, unless it is
	// first.
	decider string
	// silent is whether nobody tells the engines what prefill chose: then one
	// does all the work, though the EPP believes in two.
	silent bool
	// bare is whether what is counted after the choice knows nothing of what the
	// decode endpoint holds of the prompt: the EPP makes that endpoint anew, with
	// another port, and forgets what was said of it.
	bare bool
	// peers is whether the second profile is told what the first one chose.
	peers bool
	// header names the profile that runs in place of decode for requests that carry
	// it; "" where none does.
	header string
}

// runs reports whether a profile ever does on a cluster, which may be nil.
func (s *stages) runs(profile string, cluster *Cluster) bool {
	if profile == s.decode || s.prefill != "" && profile == s.prefill {
		return true
	}
	return s.header != "" && slices.Contains(cluster.header(s.header), profile)
}

// mayRun reports whether the EPP runs a profile on some cluster, for some request:
// the encode profile too, which simulated requests never need.
func (s *stages) mayRun(profile string) bool {
	return s.header != "" || s.runs(profile, nil) || s.encode != "" && profile == s.encode
}

// primaries are the names of the profiles that run in place of decode, by set of
// headers.
func (s *stages) primaries(cluster *Cluster) []string {
	if s.header == "" {
		return []string{s.decode}
	}
	names := cluster.header(s.header)
	for i := range names {
		setDefault(&names[i], s.decode)
	}
	return names
}

// stagesOf follows from the profile handler. Where there are several, or too
// many profiles for it, that has been or will be reported.
func (l *loader) stagesOf(handler *plugin) stages {
	if handler == nil || handler.kind.stages == nil {
		return stages{decode: l.doc.SchedulingProfiles[0].Name}
	}
	return handler.kind.stages(l, handler)
}

// hasProfile reports whether the document has a profile, or will get it.
func (l *loader) hasProfile(name string) bool {
	if len(l.doc.SchedulingProfiles) == 0 {
		return name == defaultProfile
	}
	return slices.ContainsFunc(l.doc.SchedulingProfiles, func(p profile) bool { return p.Name == name })
}
