from torch.distributed.checkpoint import state_dict as sd


class Export:
    options = sd.StateDictOptions(full_state_dict=True)  # <- FSDP042

    def run(self, model):
        return sd.get_model_state_dict(model, options=self.options)
