// SPDX-License-Identifier: Apache-2.0

// Package compile turns an object into an experiment.Plan: it reads ConfigMaps, files and
// traces through [Inputs], checks every field, every point and the EPP's configurations,
// and runs the linter. Errors of users are a field.ErrorList with the paths of the object;
// an error says that the inputs could not be read this time.
package compile
