# Takes node 0 for the source.
def program(self):
    half = self.nodes // 2
    if not self.is_source:
        yield self.receive()
    if self.id < half:
        yield self.send_to(self.id + 1)
    if self.is_source or self.id > half + 1:
        yield self.send_to((self.id - 1) % self.nodes)
