# A node keeps the first packet that comes, and passes the others on.
def program(self):
    if self.is_source:
        for node in range(1, self.nodes):
            yield self.send_to(1, node)
        return
    yield self.receive()
    for _ in range(self.id + 1, self.nodes):
        mail = yield self.receive()
        yield self.send_to(self.id + 1, mail.packet)
