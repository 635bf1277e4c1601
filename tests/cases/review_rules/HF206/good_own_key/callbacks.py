from transformers import TrainerCallback


class OffloadActivations(TrainerCallback):
    def on_train_begin(self, args, state, control, **kwargs):
        if args.fsdp_config.get("offload_activations"):
            kwargs["model"].enable_activation_offload()
