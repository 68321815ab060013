# Around the whole ring.
def program(self):
    if not self.is_source:
        yield self.receive()
    following = (self.id + 1) % self.nodes
    if following != self.source:
        yield self.send_to(following)
