# The last node is forgotten.
def program(self):
    if self.is_source:
        for node in reversed(range(1, self.nodes - 1)):
            yield self.send_to(1, node)
        return
    for _ in range(self.id + 1, self.nodes - 1):
        mail = yield self.receive()
        yield self.send_to(self.id + 1, mail.packet)
