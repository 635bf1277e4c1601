import torch.distributed as dist
class P:
    def __init__(self, ranks):
        self.pg = dist.new_group(ranks)
        self.member = dist.get_rank() in ranks
    def mean(self, t):
        if self.member:
            dist.all_reduce(t, group=self.pg)
        return t
