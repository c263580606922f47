// SPDX-License-Identifier: Apache-2.0

package benchmark

// RequestPerformance is what requests got.
type RequestPerformance struct {
	Aggregate  *Aggregate         `json:"aggregate,omitempty"`
	TimeSeries *RequestTimeSeries `json:"time_series,omitempty"`
}

// Aggregate is over all requests.
type Aggregate struct {
	Requests   *Requests   `json:"requests,omitempty"`
	Latency    *Latency    `json:"latency,omitempty"`
	Throughput *Throughput `json:"throughput,omitempty"`
}

// Requests counts requests and their lengths.
type Requests struct {
	Total        int64       `json:"total" min:"0"`
	Failures     *int64      `json:"failures,omitempty" min:"0"`
	Incomplete   *int64      `json:"incomplete,omitempty" min:"0"`
	InputLength  *Statistics `json:"input_length,omitempty" units:"quantity"`
	OutputLength *Statistics `json:"output_length,omitempty" units:"quantity"`
	RequestSize  *Statistics `json:"request_size,omitempty" units:"memory"`
	MultiModal   *MultiModal `json:"multimodal,omitempty"`
}

// MultiModal is what requests hold in addition to text.
type MultiModal struct {
	Image *ImagePayload `json:"image,omitempty"`
	Video *VideoPayload `json:"video,omitempty"`
	Audio *AudioPayload `json:"audio,omitempty"`
}

// ImagePayload are the images of requests.
type ImagePayload struct {
	Count       *Statistics `json:"count,omitempty" units:"quantity"`
	FileSize    *Statistics `json:"filesize,omitempty" units:"memory"`
	Pixels      *Statistics `json:"pixels,omitempty" units:"quantity"`
	AspectRatio *Statistics `json:"aspect_ratio,omitempty" units:"ratio"`
}

// VideoPayload are the videos of requests.
type VideoPayload struct {
	Count       *Statistics `json:"count,omitempty" units:"quantity"`
	FileSize    *Statistics `json:"filesize,omitempty" units:"memory"`
	Pixels      *Statistics `json:"pixels,omitempty" units:"quantity"`
	AspectRatio *Statistics `json:"aspect_ratio,omitempty" units:"ratio"`
	Frames      *Statistics `json:"frames,omitempty" units:"quantity"`
}

// AudioPayload is the sound of requests.
type AudioPayload struct {
	Count    *Statistics `json:"count,omitempty" units:"quantity"`
	FileSize *Statistics `json:"filesize,omitempty" units:"memory"`
	Duration *Statistics `json:"duration,omitempty" units:"time"`
}

// Latency is how long requests took. TimePerOutputToken leaves the first token out,
// NormalizedTimePerOutputToken is the request's time by all of its tokens.
type Latency struct {
	TimeToFirstToken             *Statistics `json:"time_to_first_token,omitempty" units:"time"`
	NormalizedTimePerOutputToken *Statistics `json:"normalized_time_per_output_token,omitempty" units:"perToken"`
	TimePerOutputToken           *Statistics `json:"time_per_output_token,omitempty" units:"perToken"`
	InterTokenLatency            *Statistics `json:"inter_token_latency,omitempty" units:"perToken"`
	RequestLatency               *Statistics `json:"request_latency,omitempty" units:"time"`
}

// Throughput is what was served per second.
type Throughput struct {
	InputTokenRate  *Statistics `json:"input_token_rate,omitempty" units:"tokenRate"`
	OutputTokenRate *Statistics `json:"output_token_rate,omitempty" units:"tokenRate"`
	TotalTokenRate  *Statistics `json:"total_token_rate,omitempty" units:"tokenRate"`
	RequestRate     *Statistics `json:"request_rate,omitempty" units:"requestRate"`
	ImageRate       *Statistics `json:"image_rate,omitempty" units:"imageRate"`
	VideoRate       *Statistics `json:"video_rate,omitempty" units:"videoRate"`
	AudioRate       *Statistics `json:"audio_rate,omitempty" units:"audioRate"`
}

// RequestTimeSeries are figures of requests over time.
type RequestTimeSeries struct {
	Latency    *LatencySeries    `json:"latency,omitempty"`
	Throughput *ThroughputSeries `json:"throughput,omitempty"`
}

// LatencySeries is Latency over time.
type LatencySeries struct {
	TimeToFirstToken             *Series `json:"time_to_first_token,omitempty" units:"time"`
	NormalizedTimePerOutputToken *Series `json:"normalized_time_per_output_token,omitempty" units:"perToken"`
	TimePerOutputToken           *Series `json:"time_per_output_token,omitempty" units:"perToken"`
	InterTokenLatency            *Series `json:"inter_token_latency,omitempty" units:"perToken"`
	RequestLatency               *Series `json:"request_latency,omitempty" units:"time"`
}

// ThroughputSeries is Throughput over time.
type ThroughputSeries struct {
	Units           string  `json:"units,omitempty" units:"tokenRate"`
	InputTokenRate  *Series `json:"input_token_rate,omitempty" units:"tokenRate"`
	OutputTokenRate *Series `json:"output_token_rate,omitempty" units:"tokenRate"`
	TotalTokenRate  *Series `json:"total_token_rate,omitempty" units:"tokenRate"`
	RequestRate     *Series `json:"request_rate,omitempty" units:"requestRate"`
}

// SessionPerformance is what conversations got.
type SessionPerformance struct {
	Sessions *Sessions `json:"sessions,omitempty"`
}

// Sessions counts conversations. Their events are requests.
type Sessions struct {
	Total                     int64       `json:"total" min:"0"`
	Succeeded                 *int64      `json:"succeeded,omitempty" min:"0"`
	Failed                    *int64      `json:"failed,omitempty" min:"0"`
	TotalEvents               *int64      `json:"total_events,omitempty" min:"0"`
	TotalEventsCompleted      *int64      `json:"total_events_completed,omitempty" min:"0"`
	TotalEventsCancelled      *int64      `json:"total_events_cancelled,omitempty" min:"0"`
	SessionRate               *Statistics `json:"session_rate,omitempty" units:"requestRate"`
	SessionDuration           *Statistics `json:"session_duration,omitempty" units:"time"`
	EventsPerSession          *Statistics `json:"events_per_session,omitempty" units:"quantity"`
	EventsCancelledPerSession *Statistics `json:"events_cancelled_per_session,omitempty" units:"quantity"`
	InputTokensPerSession     *Statistics `json:"input_tokens_per_session,omitempty" units:"quantity"`
	OutputTokensPerSession    *Statistics `json:"output_tokens_per_session,omitempty" units:"quantity"`
}
