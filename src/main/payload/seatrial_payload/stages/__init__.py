"""One module per stage, each with ``run(ctx)``; see ``seatrial_payload.context.Context``."""
