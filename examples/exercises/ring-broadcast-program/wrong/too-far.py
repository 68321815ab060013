# Both ways, and never an end.
def program(self):
    if self.is_source:
        yield self.send(0)
        yield self.send(1)
    else:
        mail = yield self.receive()
        yield self.send(1 - mail.port)
