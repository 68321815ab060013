# Each node sends its own packet again and again.
def program(self):
    for _ in range(self.nodes - 1):
        yield self.send_to((self.id + 1) % self.nodes, self.id)
        yield self.receive_from((self.id - 1) % self.nodes)
