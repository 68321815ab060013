def program(self):
    if not self.is_source:
        yield self.receive()
