"""What a peer tells of itself."""

import json
import sys
import time


class Clock:
    """The seconds of stages, each since the one before."""

    def __init__(self):
        self.seconds, self.last = {}, time.monotonic()

    def mark(self, stage):
        now = time.monotonic()
        self.seconds[stage], self.last = now - self.last, now

    def tell(self, **more):
        # At once, since ranks share the output.
        sys.stdout.write(json.dumps({"seconds": self.seconds, **more}) + "\n")


def problem_beside(stem):
    """The figures of the problem, which lie beside its mesh."""
    with open(stem.rsplit("/", 1)[0] + "/problem.json", encoding="ascii") as file:
        return json.load(file)
