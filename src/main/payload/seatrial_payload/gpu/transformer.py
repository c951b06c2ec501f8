"""A small decoder's training step in plain torch. Method ``train-step/1``.

It catches what a matrix product cannot see: kernel launch cost on a weak host, attention, optimizer and memory
traffic together. Fixed by the method: 8 layers, width 768, 12 heads, 1024 tokens, batch 8, vocabulary 32768,
AdamW, bfloat16 autocast (float16 with loss scaling before compute capability 8.0).
"""

import math

from . import torchbase

METHOD = "train-step/1"
SIZE = {"layers": 8, "width": 768, "heads": 12, "tokens": 1024, "batch": 8, "vocabulary": 32768}


def run(**args):
    """args: gpu, seed, blocks, blockSeconds, size (overrides, for tests)."""
    torch, device = torchbase.open_torch(args)
    size = dict(SIZE, **(args.get("size") or {}))
    torch.manual_seed(int(args.get("seed", 1)))
    step = _training(torch, device, size)
    losses = [step() for _ in range(10)]  # warm-up, and the proof that it learns
    torchbase.synchronize(torch, device)
    per_call = torchbase.seconds_per_call(torch, device, step)
    iterations = torchbase.iterations_for(float(args.get("blockSeconds", 1.0)), per_call, 3, 500)
    tokens = size["batch"] * size["tokens"]
    figures = []
    for _ in range(int(args.get("blocks", 5))):
        figures.append(iterations * tokens / torchbase.timed(torch, device, step, iterations))
    losses = [float(loss) for loss in losses] + [float(step())]
    return {
        "tokensPerSecond": figures,
        "losses": losses,
        "firstLossExpected": math.log(size["vocabulary"]),
        "learns": all(math.isfinite(loss) for loss in losses) and losses[-1] < losses[0],
        "method": METHOD,
        "stepsPerBlock": iterations,
        **torchbase.device_facts(torch, device),
    }


def _training(torch, device, size):
    model = _decoder(torch, size).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    data = torch.randint(0, size["vocabulary"], (size["batch"], size["tokens"] + 1), device=device)
    wide = device.type != "cuda" or torch.cuda.get_device_capability(device) >= (8, 0)
    scaler = torch.cuda.amp.GradScaler(enabled=not wide)
    kind = torch.bfloat16 if wide else torch.float16

    def step():
        with torch.autocast(device_type=device.type, dtype=kind):
            scores = model(data[:, :-1])
            loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), data[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return step


def _decoder(torch, size):
    nn = torch.nn
    width, heads = size["width"], size["heads"]

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
            self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, tokens, _ = x.shape
            parts = self.query_key_value(self.before(x)).view(batch, tokens, 3, heads, width // heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(batch, tokens, width))
            return x + self.narrow(nn.functional.gelu(self.wide(self.after(x))))

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.word = nn.Embedding(size["vocabulary"], width)
            self.place = nn.Embedding(size["tokens"], width)
            self.blocks = nn.Sequential(*[Block() for _ in range(size["layers"])])
            self.last = nn.LayerNorm(width)
            self.score = nn.Linear(width, size["vocabulary"], bias=False)

        def forward(self, ids):
            place = self.place(torch.arange(ids.shape[1], device=ids.device))
            return self.score(self.last(self.blocks(self.word(ids) + place)))

    return Decoder()
