import torch
from lightning.pytorch.utilities import rank_zero_only
from torch.distributed.checkpoint.state_dict import get_model_state_dict, StateDictOptions
class Cb:
    @rank_zero_only
    def dump(self, model, path):
        sd = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))  # <- FSDP040
        torch.save(sd, path)
