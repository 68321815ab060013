# A send of a reduction needs a value.
def program(self):
    if self.id > 0:
        yield self.send_to(self.id - 1)
