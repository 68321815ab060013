# To the next node first: that way takes as many rounds as there are nodes in half of the ring.
def program(self):
    half = self.nodes // 2
    after = (self.id - self.source) % self.nodes
    following, previous = (self.id + 1) % self.nodes, (self.id - 1) % self.nodes
    if not self.is_source:
        yield self.receive()
    if after < half:
        yield self.send_to(following)
    if self.is_source or after > half + 1:
        yield self.send_to(previous)
