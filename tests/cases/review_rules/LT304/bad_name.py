import lightning as L


def main():
    return L.Trainer(
        strategy="fsdp",
        gradient_clip_val=0.5,  # <- LT304
    )
