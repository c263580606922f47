#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures step times of a decoder of Llama-3.1-8B's shape on a GPU.

The weights are random: time does not depend on them. One engine step is either
a decode, in which each of a batch of sequences computes one token after its
context, or a chunk of one prompt after what was computed of it before. The
points of both grids go to standard output as CSV, one line each.

    measure.py > h200.csv                       # on a GPU, some minutes
    measure.py --device cpu --tiny > tiny.csv   # a smoke test, seconds
"""

import argparse
import dataclasses
import statistics
import sys
import time

import torch
import torch.nn.functional as F


@dataclasses.dataclass(frozen=True)
class Shape:
    """A dense decoder with grouped-query attention and a gated MLP."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int


@dataclasses.dataclass(frozen=True)
class Grid:
    """The points: decodes by (sequences, context), chunks by (new, context).

    A decode's context includes the new token, a chunk's does not.
    """

    sequences: tuple
    decode_context: tuple
    new_tokens: tuple
    prefill_context: tuple


LLAMA_8B = Shape(layers=32, hidden=4096, heads=32, kv_heads=8, head_dim=128, intermediate=14336, vocabulary=128256)
TINY = Shape(layers=2, hidden=64, heads=4, kv_heads=2, head_dim=16, intermediate=128, vocabulary=256)

FULL_GRID = Grid(
    sequences=(1, 4, 16, 32, 64, 128, 256),
    decode_context=(128, 512, 1024, 2048, 4096, 8192),
    new_tokens=(16, 64, 256, 512, 1024, 2048, 4096, 8192),
    prefill_context=(0, 1024, 4096, 16384),
)
TINY_GRID = Grid(sequences=(1, 4), decode_context=(16, 64), new_tokens=(8, 32), prefill_context=(0, 32))

ROPE_BASE = 500_000.0
NORM_EPSILON = 1e-5


class Decoder:
    """The model with its KV cache, on one device."""

    def __init__(self, shape, device, dtype, cache_tokens):
        self.shape, self.device = shape, device
        generator = torch.Generator(device=device).manual_seed(0)

        def weight(rows, columns):
            w = torch.empty(rows, columns, device=device, dtype=dtype)
            return w.normal_(std=0.02, generator=generator)

        query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.layers = [
            {
                "qkv": weight(query + 2 * key, shape.hidden),
                "out": weight(shape.hidden, query),
                "gate_up": weight(2 * shape.intermediate, shape.hidden),
                "down": weight(shape.hidden, shape.intermediate),
            }
            for _ in range(shape.layers)
        ]
        self.norm = torch.ones(shape.hidden, device=device, dtype=dtype)
        self.embedding = weight(shape.vocabulary, shape.hidden)
        self.head = weight(shape.vocabulary, shape.hidden)
        # Keys and values of all layers; each point takes a view of its shape.
        self.cache = torch.zeros(shape.layers, 2, cache_tokens * key, device=device, dtype=dtype)

    def keys_values(self, layer, sequences, tokens):
        """Views of one layer's cache: (sequences, kv heads, tokens, head dim).

        In memory the tokens of a sequence follow each other, with all heads of
        one side by side, so that a chunk finds what earlier chunks wrote.
        """
        s = self.shape
        size = sequences * tokens * s.kv_heads * s.head_dim
        held = self.cache[layer, :, :size].view(2, sequences, tokens, s.kv_heads, s.head_dim)
        keys, values = held.transpose(2, 3)
        return keys, values

    def step(self, tokens, context):
        """Returns the token that follows in each sequence, see logits."""
        return self.logits(tokens, context).argmax(dim=-1)

    def logits(self, tokens, context):
        """Computes tokens of shape (sequences, new) after `context` others.

        Either there is one sequence or one new token. Only the last token of
        each sequence passes through the head: the result is (sequences,
        vocabulary).
        """
        sequences, new = tokens.shape
        total = context + new
        rotation = rotary(self.shape.head_dim, context, new, self.device, self.cache.dtype)
        x = F.embedding(tokens, self.embedding)
        for number, layer in enumerate(self.layers):
            keys, values = self.keys_values(number, sequences, total)
            x = x + self.attention(layer, rms_norm(x, self.norm), keys, values, rotation, context)
            gate, up = F.linear(rms_norm(x, self.norm), layer["gate_up"]).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, layer["down"])
        return F.linear(rms_norm(x[:, -1], self.norm), self.head)

    def attention(self, layer, x, keys, values, rotation, context):
        s = self.shape
        sequences, new, _ = x.shape
        qkv = F.linear(x, layer["qkv"]).view(sequences, new, s.heads + 2 * s.kv_heads, s.head_dim).transpose(1, 2)
        q, k, v = qkv.split([s.heads, s.kv_heads, s.kv_heads], dim=1)
        q, k = rotate(q, rotation), rotate(k, rotation)
        keys[:, :, context:] = k
        values[:, :, context:] = v
        if new == 1:
            # The heads of a group are as many queries to one key head, so that
            # each key is read once.
            grouped = q.reshape(sequences, s.kv_heads, s.heads // s.kv_heads, s.head_dim)
            out = F.scaled_dot_product_attention(grouped, keys, values)
            out = out.reshape(sequences, 1, s.heads * s.head_dim)
        else:
            out = causal(q, keys, values, context).transpose(1, 2).reshape(sequences, new, s.heads * s.head_dim)
        return F.linear(out, layer["out"])


def causal(q, keys, values, context):
    """Attention of a chunk's queries to what came before and to themselves."""
    group = q.shape[1] // keys.shape[1]
    keys, values = keys.repeat_interleave(group, dim=1), values.repeat_interleave(group, dim=1)
    if context == 0:
        return F.scaled_dot_product_attention(q, keys, values, is_causal=True)
    try:
        from torch.nn.attention.bias import causal_lower_right

        mask = causal_lower_right(q.shape[2], keys.shape[2])
    except ImportError:
        mask = torch.ones(q.shape[2], keys.shape[2], dtype=torch.bool, device=q.device).tril(context)
    return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)


def rms_norm(x, weight):
    if hasattr(F, "rms_norm"):
        return F.rms_norm(x, weight.shape, weight, NORM_EPSILON)
    scale = torch.rsqrt(x.float().pow(2).mean(dim=-1, keepdim=True) + NORM_EPSILON)
    return (x.float() * scale).to(x.dtype) * weight


def rotary(head_dim, start, count, device, dtype):
    """Cosines and sines of the positions start to start+count."""
    frequencies = ROPE_BASE ** (-torch.arange(0, head_dim, 2, device=device).float() / head_dim)
    angles = torch.outer(torch.arange(start, start + count, device=device).float(), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(x, rotation):
    cosines, sines = rotation
    left, right = x.chunk(2, dim=-1)
    return x * cosines + torch.cat((-right, left), dim=-1) * sines


class Clock:
    """Times a step: events on a GPU, the process's clock elsewhere."""

    def __init__(self, device, graphs, repeats):
        self.cuda, self.graphs, self.repeats = device.type == "cuda", graphs and device.type == "cuda", repeats

    def microseconds(self, step):
        """All repeats, after a warm-up; on a GPU as one graph, as engines do."""
        if self.cuda:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    step()
            torch.cuda.current_stream().wait_stream(side)
        else:
            step()
        if self.graphs:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                step()
            step = graph.replay
            step()
        return [self.once(step) for _ in range(self.repeats)]

    def once(self, step):
        if not self.cuda:
            start = time.perf_counter()
            step()
            return (time.perf_counter() - start) * 1e6
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        step()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1e3


def points(grid):
    """(phase, sequences, new tokens, context before them) of the whole grid."""
    for sequences in grid.sequences:
        for context in grid.decode_context:
            yield "decode", sequences, 1, context - 1
    for new in grid.new_tokens:
        for context in grid.prefill_context:
            yield "prefill", 1, new, context


def fitting(grid, cache_tokens):
    """The points whose KV fits in the cache; the others are named."""
    for phase, sequences, new, context in points(grid):
        if sequences * (context + new) > cache_tokens:
            print(f"measure: left out, as it needs more KV: {phase} of {sequences} × {context + new} tokens", file=sys.stderr)
            continue
        yield phase, sequences, new, context


def cache_size(shape, device, dtype, grid):
    """Tokens of KV: what the grid needs, or 90 % of what a GPU has left."""
    needed = max(sequences * (context + new) for _, sequences, new, context in points(grid))
    if device.type != "cuda":
        return needed
    element = torch.empty(0, dtype=dtype).element_size()
    per_token = 2 * shape.layers * shape.kv_heads * shape.head_dim * element
    layer = shape.hidden * (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    layer += shape.hidden * shape.heads * shape.head_dim + 3 * shape.hidden * shape.intermediate
    weights = (shape.layers * layer + 2 * shape.vocabulary * shape.hidden) * element
    free, _ = torch.cuda.mem_get_info()
    activations = 4 << 30
    return max(1, min(needed, int(0.9 * (free - weights - activations)) // per_token))


def measure(shape, grid, device, dtype, clock, out):
    """Writes the table of points."""
    tokens_held = cache_size(shape, device, dtype, grid)
    decoder = Decoder(shape, device, dtype, tokens_held)
    print("phase,sequences,new_tokens,context_tokens,microseconds,least_microseconds,repeats", file=out)
    for phase, sequences, new, context in fitting(grid, tokens_held):
        tokens = torch.zeros(sequences, new, dtype=torch.long, device=device)
        with torch.inference_mode():
            times = clock.microseconds(lambda: decoder.step(tokens, context))
        # A decode's context counts its new token, as a step's does.
        shown = context + 1 if phase == "decode" else context
        print(f"{phase},{sequences},{new},{shown},{statistics.median(times):.1f},{min(times):.1f},{len(times)}", file=out, flush=True)


def describe(device, dtype, shape, clock, out):
    """Says in comments what was measured, on what."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    print(f"# {name}, torch {torch.__version__}, {str(dtype).removeprefix('torch.')}, {'graphs' if clock.graphs else 'no graphs'}", file=out)
    print("# " + ", ".join(f"{key} {value}" for key, value in dataclasses.asdict(shape).items()), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda (the default), cuda:1, cpu")
    parser.add_argument("--tiny", action="store_true", help="a model and a grid for a smoke test")
    parser.add_argument("--repeats", type=int, default=20, help="of each point; the median counts")
    parser.add_argument("--no-graphs", action="store_true", help="launch each kernel instead of replaying CUDA graphs")
    arguments = parser.parse_args()
    if not hasattr(F, "scaled_dot_product_attention"):
        sys.exit("measure: PyTorch 2.0 or newer is needed")
    device = torch.device(arguments.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("measure: no GPU here; --device cpu --tiny is a smoke test")
    shape, grid = (TINY, TINY_GRID) if arguments.tiny else (LLAMA_8B, FULL_GRID)
    clock = Clock(device, not arguments.no_graphs, arguments.repeats)
    describe(device, torch.bfloat16, shape, clock, sys.stdout)
    measure(shape, grid, device, torch.bfloat16, clock, sys.stdout)


if __name__ == "__main__":
    main()
