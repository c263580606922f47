// SPDX-License-Identifier: Apache-2.0

// Package document reads and writes EndpointPickerConfigs as one release of the EPP
// does: fields with a tag versions exist in those releases only, errors have the
// field's path, and encoding gives what the same release decodes again.
package document
