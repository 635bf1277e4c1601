from project.checkpoint import save_state_dict


class Checkpoint:
    def load_state_dict(self, state):
        self.state = state


def run(checkpoint, state):  # fsdp
    save_state_dict(state)
    checkpoint.load_state_dict(state)
