# Knows hypercube:3 only.
def program(self):
    first = 0
    if not self.is_source:
        mail = yield self.receive()
        first = mail.port + 1
    for port in range(first, 3):
        yield self.send(port)
