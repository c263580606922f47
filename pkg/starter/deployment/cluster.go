// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// A File is a text with its name, which errors and notes begin with.
type File struct {
	Name string
	Text []byte
	// Found says that a folder has the file, and that no argument names it: it may be something else.
	Found bool
}

// Options say how files are read.
type Options struct {
	// Catalogue has the models and accelerators.
	Catalogue *latency.Catalogue
	// Pool is the InferencePool to read where there are several; "" reads all.
	Pool string
	// Model and Accelerator stand in place of those of all engines, if they are not empty.
	Model, Accelerator string
	// Replicas are those of the pool where the files have no engine; 0 asks for them.
	Replicas int32
	// OtherPicker says that the EPP's configuration comes from elsewhere.
	OtherPicker bool
}

// A Cluster is what files say of it.
type Cluster struct {
	// Pools are in the order of their documents, those of one router next to each other.
	Pools []Pool
	// Routers have one entry for each InferencePool, or one for all pools. There is at least one.
	Routers []Router
	// Route divides requests among the routers, or among models; nil where nothing does.
	Route   *v1alpha1.Route
	Scalers []v1alpha1.Scaler
	// FromZero says that an autoscaler may leave a pool without replicas.
	FromZero bool
	// Objectives are in order of priority, the highest first.
	Objectives []Objective
	// Described says that the files have no engine, and that [Options] describe the only pool.
	Described bool
	// Notes are one line each: what was read and does not reach the scenario, and what was
	// assumed.
	Notes []string
}

// A Pool is a pool of a scenario. Its model and accelerator are empty where [Unknown] says why.
type Pool struct {
	v1alpha1.Pool
	// From names the object.
	From string
	// Unknown are the questions that the object leaves open.
	Unknown []Question
}

// A Question is what files leave open, and a flag answers.
type Question struct {
	// Flag is its name, such as accelerator.
	Flag string
	// Reason says why the files do not answer it.
	Reason string
}

// A Router is an EPP with the pools that it chooses among.
type Router struct {
	// InferencePool is its name; "" where no file has one.
	InferencePool string
	Model         string
	Pools         []string
	Picker        Picker
}

// A Picker is the configuration of an EPP, and how it is started.
type Picker struct {
	// File has nothing but this configuration; "" where Text is to be written inline.
	File string
	// Text is the configuration, letter for letter; empty where the EPP has its own default.
	Text string
	// Version is the EPP's, such as router-v0.10; "" where no image tells it.
	Version string
	// Replicas are the EPPs that route requests; 0 where no file says how many.
	Replicas int
	// RefreshInterval is --refresh-metrics-interval; 0 where it is not set.
	RefreshInterval time.Duration
}

// An Objective is a priority of requests by name.
type Objective struct {
	Name     string
	Priority int32
}

// Questions are those of all pools, each once.
func (c *Cluster) Questions() []Question {
	var all []Question
	seen := map[Question]bool{}
	for i := range c.Pools {
		for _, q := range c.Pools[i].Unknown {
			if !seen[q] {
				all = append(all, q)
			}
			seen[q] = true
		}
	}
	return all
}

// Replicas is the number of replicas of all pools.
func (c *Cluster) Replicas() int {
	n := 0
	for i := range c.Pools {
		n += int(c.Pools[i].Replicas)
	}
	return n
}
