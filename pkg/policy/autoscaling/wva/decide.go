// SPDX-License-Identifier: Apache-2.0

package wva

// Replica is what the metrics say of a replica: its maxima over the Window.
type Replica struct {
	KVUsage float64
	Waiting int
}

// State is what the cluster says of the variant.
type State struct {
	// Current is the number of pods of the Deployment, without those that terminate.
	Current int
	// Desired is what the analyser last asked for; 0 where it has not yet asked.
	Desired int
	// Pending are the pods of Current that are not ready.
	Pending int
}

// Reason is why a decision is what it is.
type Reason string

// The verdicts.
const (
	// Unmeasured: no replica has metrics.
	Unmeasured Reason = "Unmeasured"
	// InTransition: the replicas asked for, those that exist, and those with metrics differ in
	// number, and the analyser waits.
	InTransition Reason = "InTransition"
	// ScaleUp: the room is below a trigger.
	ScaleUp Reason = "ScaleUp"
	// ScaleDown: with one replica fewer, the room is not below a trigger.
	ScaleDown Reason = "ScaleDown"
	// Steady: neither.
	Steady Reason = "Steady"
)

// Analysis is what the analyser found and asks for.
type Analysis struct {
	// Measured counts the replicas with metrics, and Free those that are not saturated.
	Measured, Free int
	// SpareKV and SpareQueue are the mean room below the thresholds of the free ones; 0 where
	// none is.
	SpareKV, SpareQueue float64
	// Lacks says that the room is below a trigger, Spares that it is not with one replica fewer.
	Lacks, Spares bool
	Reason        Reason
	// Target is the number of replicas that the analyser asks for.
	Target int
}

// Decide decides by the replicas with metrics, which include pods that terminate.
func (c *Config) Decide(replicas []Replica, s State) Analysis {
	if len(replicas) == 0 {
		return Analysis{Reason: Unmeasured, Target: s.Current}
	}
	d := c.analyse(replicas)
	switch waits := s.Desired != 0 && s.Desired != s.Current; {
	case waits:
		d.Reason, d.Target = InTransition, s.Desired
	case d.Measured != s.Current:
		d.Reason, d.Target = InTransition, s.Current
	case d.Lacks && s.Pending == 0:
		d.Reason, d.Target = ScaleUp, d.Measured+1
	case !d.Lacks && d.Spares && d.Measured > 1:
		d.Reason, d.Target = ScaleDown, d.Measured-1
	default:
		d.Reason, d.Target = Steady, d.Measured
	}
	return d
}

// analyse measures the room of the replicas.
func (c *Config) analyse(replicas []Replica) Analysis {
	d := Analysis{Measured: len(replicas)}
	kv, queue := 0.0, 0.0
	for _, r := range replicas {
		if r.KVUsage >= c.KVCacheThreshold || float64(r.Waiting) >= c.QueueLengthThreshold {
			continue
		}
		kv += c.KVCacheThreshold - r.KVUsage
		queue += c.QueueLengthThreshold - float64(r.Waiting)
		d.Free++
	}
	if d.Free > 0 {
		n := float64(d.Free)
		d.SpareKV, d.SpareQueue = meanOfMeans(kv, n), meanOfMeans(queue, n)
	}
	d.Lacks = d.SpareKV < c.KVSpareTrigger || d.SpareQueue < c.QueueSpareTrigger
	d.Spares = d.Free >= 2 && c.sparesOne(&d)
	return d
}

// meanOfMeans is the mean over variants of their means, whose last bit may differ from that of
// the mean.
func meanOfMeans(sum, n float64) float64 {
	mean := float64(sum / n)
	return float64(mean*n) / n
}

// sparesOne reports whether the room stays at the triggers if the load of the free replicas is
// spread over one fewer.
func (c *Config) sparesOne(d *Analysis) bool {
	factor := float64(d.Free) / float64(d.Free-1)
	kv := float64((c.KVCacheThreshold - d.SpareKV) * factor)
	queue := float64((c.QueueLengthThreshold - d.SpareQueue) * factor)
	return c.KVCacheThreshold-kv >= c.KVSpareTrigger && c.QueueLengthThreshold-queue >= c.QueueSpareTrigger
}
