// SPDX-License-Identifier: Apache-2.0

package epp

// A registration says which versions of the EPP register a type of plugin, read from
// their registries. Both bounds are inclusive.
type registration struct {
	// own is whether llm-d added the type. Such types go by the versions of its
	// scheduler and router, also where those are built on a GIE that lacks them; the
	// others by GIE's until the scheduler took the code over.
	own      bool
	versions versionRange
}

// gie is the registration of a type that the Gateway API Inference Extension has.
func gie(versions string) registration { return registration{versions: parseRange(versions)} }

// llmd is the registration of a type that llm-d added.
func llmd(versions string) registration {
	return registration{own: true, versions: parseRange(versions)}
}
