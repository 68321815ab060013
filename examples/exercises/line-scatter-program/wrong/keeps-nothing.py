# The last packet is passed on, too.
def program(self):
    if self.is_source:
        for node in reversed(range(1, self.nodes)):
            yield self.send_to(1, node)
        return
    while self.id + 1 < self.nodes:
        mail = yield self.receive()
        yield self.send_to(self.id + 1, mail.packet)
