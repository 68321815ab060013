# Node 0 takes its own value for the sum.
def program(self):
    if self.id == 0:
        self.result(self.contribution())
    yield self.next_round()
