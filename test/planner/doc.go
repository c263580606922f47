// SPDX-License-Identifier: Apache-2.0

// Package planner writes testdata of pkg/policy/autoscaling/dynamo: what the planner of NVIDIA Dynamo
// decides.
//
// TestTheGoldenSet checks the committed file against the planner, and writes it with -update. It needs a
// checkout of ai-dynamo/dynamo at commit 2a6da14c, whose path DYNAMO_CHECKOUT states, and one of
// rlabbe/filterpy, of FILTERPY_CHECKOUT. It runs testdata/ask.py with python3, or with the program that
// PYTHON states, and says there which modules that needs.
package planner
