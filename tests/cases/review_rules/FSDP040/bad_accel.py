from accelerate import Accelerator, FullyShardedDataParallelPlugin
def main(model, opt, loader):
    acc = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    model, opt, loader = acc.prepare(model, opt, loader)
    for b in loader:
        acc.backward(model(**b).loss)
        opt.step()
        opt.zero_grad()
    if acc.is_main_process:
        sd = acc.get_state_dict(model)  # <- FSDP040
        acc.save(sd, "model.pt")
