from torch.distributed.checkpoint.state_dict_saver import async_save as save_later


class Saver:
    def each(self, states, root):
        for step, state in enumerate(states):
            save_later(state, checkpoint_id=f"{root}/{step}")  # <- FSDP051
