"""One GPU's product and its memory in one process: where many GPUs must be seen within minutes, starting torch twice costs too much."""

from . import matmul, memory


def run(**args):
    """args: "product" (as for matmul.run) and "memory" (as for memory.run). A part that fails says so and spares the other."""
    answer = {}
    for name, function in (("product", matmul.run), ("memory", memory.run)):
        try:
            answer[name] = function(**dict(args[name], gpu=args.get("gpu"), device=args.get("device")))
        except RuntimeError as refused:
            answer[name + "Error"] = "%s: %s" % (type(refused).__name__, str(refused)[:2000])
    return answer
