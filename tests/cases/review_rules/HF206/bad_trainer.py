import trl


def config(out):
    settings = dict(out=out)
    fsdp_config = {
        "transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"],
        "sharding_strategy": "FULL_SHARD",  # <- HF206
    }
    return trl.SFTConfig(output_dir=settings["out"], fsdp=True, fsdp_config=fsdp_config)
