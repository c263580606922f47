# SPDX-License-Identifier: Apache-2.0
"""Tests of measure.py that need no GPU: python3 -m unittest discover hack/measure"""

import io
import math
import unittest

import torch
import torch.nn.functional as F

import measure


def plain_attention(q, k, v, attn_mask=None, is_causal=False):
    """The definition, for a PyTorch that lacks scaled_dot_product_attention."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    return scores.softmax(dim=-1) @ v


if not hasattr(F, "scaled_dot_product_attention"):
    F.scaled_dot_product_attention = plain_attention


class DecoderTest(unittest.TestCase):
    def setUp(self):
        self.decoder = measure.Decoder(measure.TINY, torch.device("cpu"), torch.float32, cache_tokens=64)
        self.prompt = torch.arange(40).view(1, 40)
        with torch.inference_mode():
            self.want = self.decoder.logits(self.prompt, 0)

    def test_chunks_of_a_prompt_are_the_prompt(self):
        with torch.inference_mode():
            self.decoder.logits(self.prompt[:, :16], 0)
            self.decoder.logits(self.prompt[:, 16:30], 16)
            got = self.decoder.logits(self.prompt[:, 30:], 30)
        torch.testing.assert_close(got, self.want, rtol=1e-4, atol=1e-5)

    def test_a_decode_is_a_chunk_of_one(self):
        with torch.inference_mode():
            self.decoder.logits(self.prompt[:, :39], 0)
            got = self.decoder.logits(self.prompt[:, 39:], 39)
        torch.testing.assert_close(got, self.want, rtol=1e-4, atol=1e-5)

    def test_a_batch_is_its_sequences(self):
        with torch.inference_mode():
            self.decoder.cache.zero_()
            alone = self.decoder.logits(self.prompt[:, :1], 0)
            together = self.decoder.logits(self.prompt[:, :1].expand(4, 1), 0)
        torch.testing.assert_close(together, alone.expand(4, -1), rtol=1e-4, atol=1e-5)


class TableTest(unittest.TestCase):
    def test_every_point_is_a_line(self):
        out = io.StringIO()
        device = torch.device("cpu")
        clock = measure.Clock(device, graphs=True, repeats=2)
        measure.measure(measure.TINY, measure.TINY_GRID, device, torch.float32, clock, out)
        lines = [line.split(",") for line in out.getvalue().splitlines()]
        self.assertEqual(lines[0][:4], ["phase", "sequences", "new_tokens", "context_tokens"])
        points = {tuple(line[:4]) for line in lines[1:]}
        self.assertEqual(len(points), 8)
        self.assertIn(("decode", "4", "1", "64"), points)
        self.assertIn(("prefill", "1", "32", "0"), points)
        self.assertTrue(all(float(line[4]) > 0 and line[6] == "2" for line in lines[1:]))

    def test_what_needs_more_memory_is_left_out(self):
        kept = list(measure.fitting(measure.TINY_GRID, cache_tokens=64))
        self.assertNotIn(("decode", 4, 1, 63), kept)
        self.assertIn(("decode", 1, 1, 63), kept)


if __name__ == "__main__":
    unittest.main()
