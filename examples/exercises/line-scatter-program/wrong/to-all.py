# As if every node had a link to the source.
def program(self):
    if self.is_source:
        for node in range(1, self.nodes):
            yield self.send_to(node, node)
