# Every node sends to all its neighbours: packets come twice.
def program(self):
    if not self.is_source:
        yield self.receive()
    for port in range(self.ports):
        yield self.send(port)
