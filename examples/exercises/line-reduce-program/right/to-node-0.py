def program(self):
    value = self.contribution()
    if self.id + 1 < self.nodes:
        mail = yield self.receive()
        value = self.fold(value, mail.value)
    if self.id == 0:
        self.result(value)
    else:
        yield self.send_to(self.id - 1, value)
