// SPDX-License-Identifier: Apache-2.0

package benchmark

// Observability is what components showed. Its other fields are free.
type Observability struct {
	Components      []ComponentObservability `json:"components,omitempty"`
	DropRate        *Statistics              `json:"drop_rate,omitempty" units:"portion"`
	PodStartupTimes *PodStartupTimes         `json:"pod_startup_times,omitempty"`
	ReplicaStatus   *ReplicaStatus           `json:"replica_status,omitempty"`
	Extra           map[string]any           `extra:"fields"`
}

// ComponentObservability is what a component of the stack showed.
type ComponentObservability struct {
	ComponentLabel string          `json:"component_label"`
	ReplicaID      string          `json:"replica_id,omitempty"`
	Aggregate      *Resources      `json:"aggregate,omitempty"`
	TimeSeries     *ResourceSeries `json:"time_series,omitempty"`
	RawDataPath    string          `json:"raw_data_path,omitempty"`
	GraphPath      string          `json:"graph_path,omitempty"`
}

// Resources are over the whole run.
type Resources struct {
	KVCacheUsage     *Statistics `json:"kv_cache_usage,omitempty" units:"portion"`
	CacheHitRate     *Statistics `json:"cache_hit_rate,omitempty" units:"portion"`
	GPUCacheUsage    *Statistics `json:"gpu_cache_usage,omitempty" units:"cache"`
	CPUCacheUsage    *Statistics `json:"cpu_cache_usage,omitempty" units:"cache"`
	GPUMemoryUsage   *Statistics `json:"gpu_memory_usage,omitempty" units:"memory"`
	CPUMemoryUsage   *Statistics `json:"cpu_memory_usage,omitempty" units:"memory"`
	StorageUsage     *Statistics `json:"storage_usage,omitempty" units:"memory"`
	GPUUtilization   *Statistics `json:"gpu_utilization,omitempty" units:"portion"`
	CPUUtilization   *Statistics `json:"cpu_utilization,omitempty" units:"portion"`
	PowerConsumption *Statistics `json:"power_consumption,omitempty" units:"power"`
	RunningRequests  *Statistics `json:"running_requests,omitempty" units:"quantity"`
	WaitingRequests  *Statistics `json:"waiting_requests,omitempty" units:"quantity"`
	SwappedRequests  *Statistics `json:"swapped_requests,omitempty" units:"quantity"`
	Preemptions      *Statistics `json:"preemptions,omitempty" units:"quantity"`
}

// ResourceSeries are over time.
type ResourceSeries struct {
	KVCacheUsage               *Series `json:"kv_cache_usage,omitempty" units:"portion"`
	GPUCacheUsage              *Series `json:"gpu_cache_usage,omitempty" units:"cache"`
	CPUCacheUsage              *Series `json:"cpu_cache_usage,omitempty" units:"cache"`
	GPUMemoryUsage             *Series `json:"gpu_memory_usage,omitempty" units:"memory"`
	CPUMemoryUsage             *Series `json:"cpu_memory_usage,omitempty" units:"memory"`
	StorageUsage               *Series `json:"storage_usage,omitempty" units:"memory"`
	GPUUtilization             *Series `json:"gpu_utilization,omitempty" units:"portion"`
	CPUUtilization             *Series `json:"cpu_utilization,omitempty" units:"portion"`
	PowerConsumption           *Series `json:"power_consumption,omitempty" units:"power"`
	NumRequestsRunning         *Series `json:"num_requests_running,omitempty" units:"quantity"`
	NumRequestsWaiting         *Series `json:"num_requests_waiting,omitempty" units:"quantity"`
	NumPreemptions             *Series `json:"num_preemptions,omitempty" units:"quantity"`
	PrefixCacheQueries         *Series `json:"prefix_cache_queries,omitempty" units:"quantity"`
	PrefixCacheHits            *Series `json:"prefix_cache_hits,omitempty" units:"quantity"`
	PrefixCacheHitRate         *Series `json:"prefix_cache_hit_rate,omitempty" units:"portion"`
	ExternalPrefixCacheQueries *Series `json:"external_prefix_cache_queries,omitempty" units:"quantity"`
	ExternalPrefixCacheHits    *Series `json:"external_prefix_cache_hits,omitempty" units:"quantity"`
	ExternalPrefixCacheHitRate *Series `json:"external_prefix_cache_hit_rate,omitempty" units:"portion"`
	PromptTokens               *Series `json:"prompt_tokens,omitempty" units:"quantity"`
	GenerationTokens           *Series `json:"generation_tokens,omitempty" units:"quantity"`
	PoolAvgKVCacheUtilization  *Series `json:"pool_avg_kv_cache_utilization,omitempty" units:"portion"`
	PoolAvgQueueSize           *Series `json:"pool_avg_queue_size,omitempty" units:"quantity"`
	PoolAvgRunningRequests     *Series `json:"pool_avg_running_requests,omitempty" units:"quantity"`
	PoolReadyPods              *Series `json:"pool_ready_pods,omitempty" units:"quantity"`
}

// PodStartupTimes are how long pods took to start.
type PodStartupTimes struct {
	CollectedAt string       `json:"collected_at,omitempty" format:"date-time"`
	Pods        []PodStartup `json:"pods,omitempty"`
	Aggregate   *Statistics  `json:"aggregate,omitempty" units:"time"`
	GraphPath   string       `json:"graph_path,omitempty"`
}

// PodStartup is the start of one pod.
type PodStartup struct {
	Name              string   `json:"name"`
	Model             string   `json:"model,omitempty"`
	Role              string   `json:"role,omitempty"`
	Node              string   `json:"node,omitempty"`
	CreationTimestamp string   `json:"creation_timestamp,omitempty" format:"date-time"`
	ReadyTimestamp    string   `json:"ready_timestamp,omitempty" format:"date-time"`
	StartupSeconds    *float64 `json:"startup_seconds,omitempty" min:"0"`
}

// ReplicaStatus is how many replicas there were.
type ReplicaStatus struct {
	Namespace              string                  `json:"namespace,omitempty"`
	Timestamp              string                  `json:"timestamp,omitempty" format:"date-time"`
	Controllers            []ControllerStatus      `json:"controllers,omitempty"`
	TimeSeries             []ReplicaStatusSnapshot `json:"time_series,omitempty"`
	AggregateReadyReplicas *Statistics             `json:"aggregate_ready_replicas,omitempty" units:"quantity"`
	GraphPath              string                  `json:"graph_path,omitempty"`
}

// ReplicaStatusSnapshot is how many replicas there were at a time.
type ReplicaStatusSnapshot struct {
	Timestamp   string             `json:"timestamp,omitempty" format:"date-time"`
	Namespace   string             `json:"namespace,omitempty"`
	Controllers []ControllerStatus `json:"controllers,omitempty"`
}

// ControllerStatus is how many replicas a controller had.
type ControllerStatus struct {
	Kind              string `json:"kind"`
	Name              string `json:"name"`
	Model             string `json:"model,omitempty"`
	Role              string `json:"role,omitempty"`
	DesiredReplicas   int64  `json:"desired_replicas" min:"0"`
	AvailableReplicas int64  `json:"available_replicas" min:"0"`
	ReadyReplicas     int64  `json:"ready_replicas" min:"0"`
	UpdatedReplicas   *int64 `json:"updated_replicas,omitempty" min:"0"`
}

// ComponentHealth is what failed of a component.
type ComponentHealth struct {
	ComponentLabel string          `json:"component_label"`
	TotalRestarts  *int64          `json:"total_restarts,omitempty" min:"0"`
	FailedReplicas *int64          `json:"failed_replicas,omitempty" min:"0"`
	ReplicaHealth  []ReplicaHealth `json:"replica_health,omitempty"`
}

// ReplicaHealth is what failed of a replica.
type ReplicaHealth struct {
	ReplicaID string `json:"replica_id"`
	Restarts  *int64 `json:"restarts,omitempty" min:"0"`
	Healthy   *bool  `json:"healthy,omitempty"`
	Logs      string `json:"logs,omitempty"`
}
