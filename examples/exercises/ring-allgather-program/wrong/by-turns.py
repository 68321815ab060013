# Nodes with an even number send first, the others after them.
def program(self):
    packet = self.id
    for _ in range(self.nodes - 1):
        if self.id % 2:
            yield self.next_round()
        yield self.send_to((self.id + 1) % self.nodes, packet)
        mail = yield self.receive_from((self.id - 1) % self.nodes)
        packet = mail.packet
