from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(student, teacher, dev):
    for m in (student, teacher):
        m = FSDP(m, device_id=dev)  # <- FSDP007
    return student(teacher(1))
