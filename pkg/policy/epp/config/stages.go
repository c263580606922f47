// SPDX-License-Identifier: Apache-2.0

package config

import "slices"

// Profiles that several plugins look for by name.
const (
	DecodeProfile  = "decode"
	PrefillProfile = "prefill"
	EncodeProfile  = "encode"
)

// Stages says which scheduling profiles run for a request, and when.
type Stages struct {
	// Decode is the primary profile: without its endpoint a request fails.
	Decode string
	// Encode chooses who encodes images, audio and video; "" where that never
	// runs. Simulated requests have none of these.
	Encode string
	// Prefill chooses who computes the prompt; "" where that never runs.
	Prefill string
	// PrefillFirst is whether prefill runs before decode, and for each request.
	PrefillFirst bool
	// Decider names the plugin that says whether prefill runs, unless it is
	// first.
	Decider string
	// PrefillHeaderMissing is whether no header passes the prefill choice to the engines: one
	// does all the work, though the EPP believes in two.
	PrefillHeaderMissing bool
	// DecodeMatchLost is whether what is counted after the choice knows nothing of what the
	// decode endpoint holds of the prompt: the EPP makes that endpoint anew, with
	// another port, and forgets what was said of it.
	DecodeMatchLost bool
	// SecondSeesFirst is whether the second profile knows what the first one chose.
	SecondSeesFirst bool
	// Header names the profile that runs in place of decode for requests that carry
	// it; "" where none does.
	Header string
}

// Runs reports whether a profile ever does on a cluster, which may be nil.
func (s *Stages) Runs(profile string, cluster *Cluster) bool {
	if profile == s.Decode || s.Prefill != "" && profile == s.Prefill {
		return true
	}
	return s.Header != "" && slices.Contains(cluster.Header(s.Header), profile)
}

// mayRun reports whether the EPP runs a profile on some cluster, for some request:
// the encode profile too, which simulated requests never need.
func (s *Stages) mayRun(profile string) bool {
	return s.Header != "" || s.Runs(profile, nil) || s.Encode != "" && profile == s.Encode
}

// Primaries are the names of the profiles that run in place of decode, by set of
// headers.
func (s *Stages) Primaries(cluster *Cluster) []string {
	if s.Header == "" {
		return []string{s.Decode}
	}
	names := cluster.Header(s.Header)
	for i := range names {
		SetDefault(&names[i], s.Decode)
	}
	return names
}

// stagesOf follows from the profile handler. Where there are several, or too
// many profiles for it, that has been or will be reported.
func (l *Loader) stagesOf(handler *Plugin) Stages {
	if handler == nil || handler.Kind.Stages == nil {
		return Stages{Decode: l.Doc.SchedulingProfiles[0].Name}
	}
	return handler.Kind.Stages(l, handler)
}

// HasProfile reports whether the document has a profile, or will get it.
func (l *Loader) HasProfile(name string) bool {
	if len(l.Doc.SchedulingProfiles) == 0 {
		return name == defaultProfile
	}
	return slices.ContainsFunc(l.Doc.SchedulingProfiles, func(p Profile) bool { return p.Name == name })
}
