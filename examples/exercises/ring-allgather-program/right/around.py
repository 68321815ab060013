# Each packet goes around the ring: a node sends what came last.
def program(self):
    following, previous = (self.id + 1) % self.nodes, (self.id - 1) % self.nodes
    packet = self.id
    for _ in range(self.nodes - 1):
        yield self.send_to(following, packet)
        mail = yield self.receive_from(previous)
        packet = mail.packet
