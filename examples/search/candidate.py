"""A congestion control law as formulas, for a program to improve (docs/reference/laws/formula.md)."""

# EVOLVE-BLOCK-START
LAW = {
    # Packets that an ACK adds to the window.
    "step": "acked / w",
    # Window after a loss.
    "loss": "flight / 2",
    # Packets in queues at which slow start ends; 0: at the first loss.
    "exit": 0,
}
# EVOLVE-BLOCK-END
