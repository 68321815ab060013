# Lets a round pass before each message.
def program(self):
    first = 0
    if not self.is_source:
        mail = yield self.receive()
        first = mail.port + 1
    for port in range(first, self.ports):
        yield self.next_round()
        yield self.send(port)
