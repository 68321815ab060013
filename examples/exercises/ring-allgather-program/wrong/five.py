# Knows ring:5 only.
def program(self):
    packet = self.id
    for _ in range(4):
        yield self.send_to((self.id + 1) % self.nodes, packet)
        mail = yield self.receive_from((self.id - 1) % self.nodes)
        packet = mail.packet
