// SPDX-License-Identifier: Apache-2.0

// Package openai asks `windtunnel engine` with OpenAI's own client.
package openai
