"""Matrix products: how fast, how steady, and whether the answer is right. Method ``matmul/1``.

Fixed by the method, because each of them moves the figure of a healthy card by several percent: square 8192,
inputs drawn from a normal distribution with the run's seed (zeros would draw less power and run faster),
one stream, the library's own choice of kernel. "short" takes blocks of about 50 ms with pauses, before the power
limit bites; "sustained" loads without a pause and so shows what the card holds at its power limit.
"""

import time

from . import torchbase

METHOD = "matmul/1"
SHAPE = 8192
DTYPES = ("bf16", "fp16", "tf32", "fp32", "fp8")
# Rounding of the result and of the inputs by format, relative to the size of a sum of K products of normals.
TOLERANCE = {"bf16": 2.0e-2, "fp16": 4.0e-3, "tf32": 6.0e-3, "fp32": 1.0e-4, "fp8": 3.0e-2}


def supported(dtype, capability):
    """Whether this compute capability has the format in hardware; (major, minor)."""
    if dtype == "fp8":
        return capability >= (8, 9)
    if dtype in ("bf16", "tf32"):
        return capability >= (8, 0)
    return True


def run(**args):
    """One format. args: gpu, dtype, shape, seed, shortBlocks, sustainedBlocks, blockSeconds, warmSeconds, meet."""
    torch, device = torchbase.open_torch(args)
    dtype = args["dtype"]
    if device.type == "cuda" and not supported(dtype, torch.cuda.get_device_capability(device)):
        return {"dtype": dtype, "unsupported": True, **torchbase.device_facts(torch, device)}
    shape = int(args.get("shape", SHAPE))
    multiply, left, right = prepare(torch, device, dtype, shape, int(args.get("seed", 1)))
    flop = 2.0 * shape**3
    per_call = torchbase.seconds_per_call(torch, device, multiply)
    reference = multiply()
    torchbase.synchronize(torch, device)
    error = relative_error(torch, reference, left, right)
    answer = {"dtype": dtype, "shape": shape, "method": METHOD, **torchbase.device_facts(torch, device)}
    answer["short"] = _short(torch, device, multiply, flop, per_call, int(args.get("shortBlocks", 7)))
    answer["met"] = torchbase.meet(args)
    answer["sustained"] = _sustained(torch, device, multiply, flop, per_call, args)
    after = multiply()
    torchbase.synchronize(torch, device)
    answer["relativeError"] = error
    answer["relativeErrorAfter"] = relative_error(torch, after, left, right)
    answer["tolerance"] = TOLERANCE[dtype]
    answer["finite"] = bool(torch.isfinite(reference).all()) and bool(torch.isfinite(after).all())
    answer["bitEqual"] = bool(torch.equal(reference, after))
    return answer


def prepare(torch, device, dtype, shape, seed):
    """The product to time, and the two inputs as they enter it, so that the answer can be checked."""
    generator = torch.Generator(device=device)
    generator.manual_seed(seed)
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(dtype, torch.float32)
    left = torch.randn(shape, shape, generator=generator, device=device, dtype=torch.float32)
    right = torch.randn(shape, shape, generator=generator, device=device, dtype=torch.float32)
    if dtype == "fp8":
        return _prepare_fp8(torch, device, left, right)
    left, right = left.to(kind), right.to(kind)
    torch.set_float32_matmul_precision("high" if dtype == "tf32" else "highest")
    return (lambda: torch.mm(left, right)), left, right


def _prepare_fp8(torch, device, left, right):
    left8 = left.to(torch.float8_e4m3fn)
    right8 = right.t().contiguous().to(torch.float8_e4m3fn).t()  # the second operand must be column-major
    one = torch.ones((), device=device, dtype=torch.float32)
    forms = (  # the function's shape changed between torch 2.1 and 2.5
        lambda: torch._scaled_mm(left8, right8, scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        lambda: torch._scaled_mm(left8, right8, out_dtype=torch.bfloat16),
    )
    why = None
    for form in forms:
        try:
            result = form()
        except (TypeError, RuntimeError) as refused:
            why = refused
            continue
        if isinstance(result, tuple):
            return (lambda form=form: form()[0]), left8, right8
        return form, left8, right8
    raise RuntimeError("torch %s does not multiply FP8 here: %s" % (torch.__version__, why))


def relative_error(torch, product, left, right, rows=16, columns=64):
    """The larger of two errors, as a share of what a sum of K products of normals amounts to.

    Sampled entries are compared with float64 on the host. That alone would miss a tile that was dropped between the
    samples, so the whole product is also applied to a random sign vector and compared with left (right x).
    """
    height, width, depth = product.shape[0], product.shape[1], left.shape[1]
    row = torch.linspace(0, height - 1, rows).long().to(product.device)
    column = torch.linspace(0, width - 1, columns).long().to(product.device)
    a = _rows(torch, left, row).cpu().double()
    b = _rows(torch, right.t(), column).cpu().double().t()
    got = product.index_select(0, row).index_select(1, column).cpu().double()
    sampled = (got - a @ b).abs().max().item() / depth**0.5
    whole = _whole_error(torch, product, left, right)
    error = max(sampled, whole)
    return error if error == error and sampled == sampled else float("inf")


def _whole_error(torch, product, left, right, chunk=1024):
    signs = torch.randint(0, 2, (product.shape[1],), device=product.device).double() * 2 - 1
    inner = torch.cat([_part(torch, right, at, chunk) @ signs for at in range(0, right.shape[0], chunk)])
    worst = 0.0
    for at in range(0, product.shape[0], chunk):
        expected = _part(torch, left, at, chunk) @ inner
        off = (product[at : at + chunk].double() @ signs - expected).abs().max().item()
        if off != off:
            return float("inf")
        worst = max(worst, off)
    return worst / (left.shape[1] * product.shape[1]) ** 0.5


def _part(torch, matrix, at, chunk):
    return _rows(torch, matrix, torch.arange(at, min(at + chunk, matrix.shape[0]), device=matrix.device)).double()


def _rows(torch, matrix, index):
    """Gathers rows as float32; 8-bit floats are gathered as bytes, since torch does not index them everywhere."""
    if matrix.element_size() != 1:
        return matrix.index_select(0, index).float()
    return matrix.contiguous().view(torch.uint8).index_select(0, index).view(matrix.dtype).float()


def _short(torch, device, multiply, flop, per_call, blocks):
    iterations = torchbase.iterations_for(0.05, per_call, 3, 2000)
    figures = []
    for _ in range(blocks):
        time.sleep(0.25 if device.type == "cuda" else 0)
        multiply()
        figures.append(iterations * flop / torchbase.timed(torch, device, multiply, iterations) / 1e12)
    return {"tflops": figures, "iterations": iterations}


def _sustained(torch, device, multiply, flop, per_call, args):
    seconds = float(args.get("blockSeconds", 2.0))
    warm = float(args.get("warmSeconds", 3.0))
    iterations = torchbase.iterations_for(min(seconds, 0.5), per_call, 1)
    started = time.time()
    until = time.monotonic() + warm
    while time.monotonic() < until:
        torchbase.timed(torch, device, multiply, iterations)
    figures = []
    for _ in range(int(args.get("sustainedBlocks", 5))):
        calls, spent, end = 0, 0.0, time.monotonic() + seconds
        while calls == 0 or time.monotonic() < end:
            spent += torchbase.timed(torch, device, multiply, iterations)
            calls += iterations
        figures.append(calls * flop / spent / 1e12)
    return {"tflops": figures, "blockSeconds": seconds, "warmSeconds": warm, "from": started, "to": time.time()}
