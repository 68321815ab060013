"""Node programs as a notebook has them: functions that are handed in by their text."""


def both_ways(self):
    """A broadcast on a ring, to the next node first: that way takes as many rounds as there are nodes in half of it."""
    half = self.nodes // 2
    after = (self.id - self.source) % self.nodes
    if not self.is_source:
        yield self.receive()
    if after < half:
        yield self.send_to((self.id + 1) % self.nodes)
    if self.is_source or after > half + 1:
        yield self.send_to((self.id - 1) % self.nodes)


def one_way(self):
    if not self.is_source:
        yield self.receive()
    if (self.id + 1 - self.source) % self.nodes != 0:
        yield self.send_to((self.id + 1) % self.nodes)
