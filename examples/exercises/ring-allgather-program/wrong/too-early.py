# Sends a packet in the round before it comes.
def program(self):
    for step in range(self.nodes - 1):
        yield self.send_to((self.id + 1) % self.nodes, (self.id - step - 1) % self.nodes)
        yield self.receive_from((self.id - 1) % self.nodes)
