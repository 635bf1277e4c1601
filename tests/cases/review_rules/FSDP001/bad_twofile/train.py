from optim import build_optimizer
from dist_setup import apply_fsdp
def run(cfg, model, mesh):
    optimizer = build_optimizer(cfg, model)
    model = apply_fsdp(model, mesh)
    return model, optimizer
