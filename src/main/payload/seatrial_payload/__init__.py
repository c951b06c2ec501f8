"""The program that Seatrial runs on a rented machine. Python 3.8 or later, standard library only."""

VERSION = "1.0.0"
PROTOCOL = 1
STAGES = ("environment", "compute", "storage", "network", "interconnect", "stability", "task")
