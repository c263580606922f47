// SPDX-License-Identifier: Apache-2.0

package version

// A Registration says which versions of the EPP register a type of plugin, read from
// their registries. Both bounds are inclusive.
type Registration struct {
	// Own is whether llm-d added the type. Such types go by the versions of its
	// scheduler and router, also where those are built on a GIE that lacks them; the
	// others by GIE's until the scheduler took the code over.
	Own      bool
	Versions Range
}

// GIE is the registration of a type that the Gateway API Inference Extension has.
func GIE(versions string) Registration { return Registration{Versions: ParseRange(versions)} }

// LLMD is the registration of a type that llm-d added.
func LLMD(versions string) Registration {
	return Registration{Own: true, Versions: ParseRange(versions)}
}
